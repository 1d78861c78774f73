// SPDX-License-Identifier: GPL-3.0-or-later
//
// The findings of a sweep, as figures: the learning curves of its trials from rung to rung, the best value
// over time, two quantities over one another, and the importance of parameters. The best trial is orange in
// all of them; of the others the stronger ones did better.
#pragma once

#include "figure/figure_data.h"
#include "session/sweep_snapshot.h"
#include "sweep/trial_axis.h"

namespace batchscope::desktop {

// The cost over which the best value is counted.
enum class Budget { WallTime, DeviceTime };

// `ranks` as ranksOf() has them.
FigureData learningCurves(const sweep::SweepView& view, const std::vector<double>& ranks);
FigureData bestSoFar(const sweep::SweepView& view, Budget budget);
FigureData scatter(const sweep::SweepView& view, const TrialAxis& x, const TrialAxis& y,
                   const std::vector<double>& ranks);
FigureData importanceBars(const sweep::SweepView& view, const std::vector<double>& importance);

}  // namespace batchscope::desktop
