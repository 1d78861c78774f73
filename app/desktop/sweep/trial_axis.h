// SPDX-License-Identifier: GPL-3.0-or-later
//
// A quantity of each trial of a sweep (a parameter, the metric or the device time) and the axis of its
// values. Each value of a parameter with few values has a cell of its own.
#pragma once

#include <vector>

#include "batchscope/sweep/sweeps.h"
#include "chart/axis.h"

namespace batchscope::desktop {

struct TrialAxis {
  QString name = {}, unit = {};
  std::vector<double> values = {};  // of each trial; a choice's index; NaN: it has none
  double low = 0, high = 1;         // its ends
  bool isLogarithmic = false;
  bool isTime = false;           // s
  std::vector<Tick> ticks = {};  // at all its cells, or at round numbers
  int cells = 0;                 // 0: it has no cells

  QString title() const;  // "accuracy, %"
  // 0 to 1 along the axis; NaN of NaN.
  double place(double value) const;
  double valueAt(double place) const;
};

// Returns the axes of the searched parameters, in the order of the file.
std::vector<TrialAxis> parameterAxes(const sweep::SweepView& view);
TrialAxis metricAxis(const sweep::SweepView& view);
TrialAxis deviceTimeAxis(const sweep::SweepView& view);

}  // namespace batchscope::desktop
