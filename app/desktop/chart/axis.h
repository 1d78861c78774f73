// SPDX-License-Identifier: GPL-3.0-or-later
//
// The axes of a chart: the texts at their ticks (common/ticks.h), in the default locale and with a common
// number of decimals, time in the steps of a clock; and their labels and grid lines. They are painted with
// the plot because most frames of a live chart move them: laying out a label as an item of its own cost a
// third of a frame.
#pragma once

#include <QString>
#include <vector>

#include "batchscope/common/ticks.h"
#include "look/theme.h"
#include "scene/decimate.h"

class QPainter;

namespace batchscope::desktop {

using common::Tick;

// Returns about `most` ticks.
std::vector<Tick> linearTicks(double low, double high, int most);
std::vector<Tick> timeTicks(double low, double high, int most);     // seconds
std::vector<Tick> logTimeTicks(double low, double high, int most);  // seconds, > 0
std::vector<Tick> logTicks(double low, double high, int most);      // both > 0

struct AxisTicks {
  std::vector<Tick> bottom, left, right;
  QString leftName = {};  // shown below the left axis, such as "log"
};

void paintGrid(QPainter& painter, const Projection& left, const std::vector<Tick>& ticks, const Theme& theme);

// Paints labels outside the plot, never over one another; `width` is that of the whole chart.
void paintLabels(QPainter& painter, const Projection& left, const Projection& right, const AxisTicks& ticks,
                 double width, const Theme& theme);

}  // namespace batchscope::desktop
