// SPDX-License-Identifier: GPL-3.0-or-later
//
// A sweep and its trials in words.
#pragma once

#include <QString>

#include "batchscope/common/run_text.h"
#include "batchscope/sweep/sweeps.h"
#include "look/theme.h"

namespace batchscope::desktop {

common::StatusText describe(storage::SweepState state);
// How a trial stands. One that trained when its sweep was paused or ended is interrupted until that goes on,
// and one that rests at a rung when its sweep is over has stopped there.
QString stateText(const sweep::SweepView& view, std::size_t trial);
// Green running, amber waiting, red failed, grey done.
QColor stateColour(const sweep::SweepView& view, std::size_t trial, const Theme& theme);

// The metric as charts have it: its unit, by what it is multiplied, and "97.42 %".
QString metricUnit(const sweep::SweepView& view);
double metricFactor(const sweep::SweepView& view);
QString metricText(const sweep::SweepView& view, double value);

// "Trial 17, stopped" and below it all its parameters and its value, a line each.
QString trialText(const sweep::SweepView& view, std::size_t trial);

// Trials that the rule keeps from going on, for good or for now.
std::size_t stoppedEarly(const sweep::SweepView& view);
// Trials that train no more, whatever became of them.
std::size_t trialsDone(const sweep::SweepView& view);

}  // namespace batchscope::desktop
