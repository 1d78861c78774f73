// SPDX-License-Identifier: Apache-2.0
//
// A plot as lines of a terminal: dots, axes with round numbers, restarts with their replica counts, a legend.
#pragma once

#include <string>

#include "plot/plot_data.h"
#include "terminal/terminal.h"

namespace batchscope::cli {

// Returns the largest number of columns of dots in a plot of this width, for PlotRequest::columns.
int plotTextColumns(int width, bool utf8);

// Returns all lines, each with its newline; none is wider than `style.width`. `height` counts the lines of
// the plot area.
std::string plotText(const Plot& plot, int height, const Style& style);

}  // namespace batchscope::cli
