// SPDX-License-Identifier: GPL-3.0-or-later
//
// The axes of a chart: round numbers along its edges, and a grid line for each of the left axis. They are
// painted with the plot because most frames of a live chart move them: laying out a label as an item of its
// own cost a third of a frame.
#pragma once

#include <vector>

#include "chart/decimate.h"
#include "chart/ticks.h"
#include "look/theme.h"

class QPainter;

namespace batchscope::desktop {

struct AxisTicks {
  std::vector<Tick> bottom, left, right;
};

void paintGrid(QPainter& painter, const Projection& left, const std::vector<Tick>& ticks, const Theme& theme);

// Outside the plot, never over one another; `width` is what there is for the whole chart.
void paintLabels(QPainter& painter, const Projection& left, const Projection& right, const AxisTicks& ticks,
                 double width, const Theme& theme);

}  // namespace batchscope::desktop
