// SPDX-License-Identifier: Apache-2.0
/// \file
/// A sweep and its trials in words, the same in window and page.
#pragma once

#include <QString>
#include <array>

#include "batchscope/common/run_text.h"
#include "batchscope/sweep/sweeps.h"

namespace batchscope::common {

/// "Running", "Finished"; of one that is under way and that no process drives "Interrupted".
StatusText describe(storage::SweepState state, bool isDriven);

/// How a trial stands (sweep_progress.h), in words: "paused at a rung". A trial that trained when its sweep
/// was paused or ended is interrupted, and a warning, until that goes on.
StatusText describe(const sweep::SweepView& view, std::size_t trial);

QString metricUnit(const sweep::SweepView& view);   ///< the metric's, as charts have it
double metricFactor(const sweep::SweepView& view);  ///< of its values, to that unit
QString metricText(const sweep::SweepView& view,
                   double value);  ///< "97.42 %"; a dash for what is not a number
QString valueText(const sweep::SweepView& view, std::size_t trial);  ///< a trial's; a dash where it has none

/// "Trial 17, stopped early" and below it all its parameters and its value, a line each.
QString trialText(const sweep::SweepView& view, std::size_t trial);

/// A figure of a sweep as a whole.
struct SweepTotal {
  QString name;   ///< "Device time"
  QString how;    ///< what it is, a sentence
  QString value;  ///< "3 h 20 min of 8 h 0 min"
};

/// Trials done, the best, device time, trials that were stopped early, and those that went wrong.
std::array<SweepTotal, 5> totalsOf(const sweep::SweepView& view);

}  // namespace batchscope::common
