// SPDX-License-Identifier: Apache-2.0
//
// A plot as lines of a terminal: dots, axes with round numbers, restarts with their replica counts, a legend.
#pragma once

#include <string>

#include "plot/plot_data.h"
#include "terminal/terminal.h"

namespace batchscope::cli {

// Columns of dots that a plot of this width has at the most: what PlotRequest::columns should be.
int plotTextColumns(int width, bool utf8);

// All lines, each with its newline; none wider than `style.width`. `height` counts the lines of the plot
// area.
std::string plotText(const Plot& plot, int height, const Style& style);

}  // namespace batchscope::cli
