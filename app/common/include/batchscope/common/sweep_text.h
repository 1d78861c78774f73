// SPDX-License-Identifier: Apache-2.0
/// \file
/// A sweep and its trials in words, the same in window and page.
#pragma once

#include <QString>
#include <array>

#include "batchscope/common/run_text.h"
#include "batchscope/sweep/sweeps.h"

namespace batchscope::common {

/// Returns "Running", "Finished" ..; "Interrupted" for a running sweep that no process drives.
StatusText describe(storage::SweepState state, bool isDriven);

/// Returns the state of a trial (sweep_progress.h) in words: "paused at a rung". A trial that trained when
/// its sweep was paused or ended is interrupted, with the tone of a warning, until the sweep goes on.
StatusText describe(const sweep::SweepView& view, std::size_t trial);

QString metricUnit(const sweep::SweepView& view);   ///< the metric's, as in charts
double metricFactor(const sweep::SweepView& view);  ///< from its recorded values to that unit
QString metricText(const sweep::SweepView& view,
                   double value);  ///< "97.42 %"; a dash for what is not a number
QString valueText(const sweep::SweepView& view, std::size_t trial);  ///< a trial's; a dash where it has none

/// Returns "Trial 17, stopped early", and below it its parameters and its value, a line each.
QString trialText(const sweep::SweepView& view, std::size_t trial);

QString deviceTimeText(const sweep::SweepView& view);  ///< "3 h 20 min of 8 h 0 min", of all trials

/// A figure of a sweep as a whole.
struct SweepTotal {
  QString name;   ///< "Device time"
  QString how;    ///< explains it in a sentence
  QString value;  ///< "3 h 20 min of 8 h 0 min"
};

/// Returns trials done, the best trial, device time, trials stopped early, and trials that went wrong.
std::array<SweepTotal, 5> totalsOf(const sweep::SweepView& view);

}  // namespace batchscope::common
