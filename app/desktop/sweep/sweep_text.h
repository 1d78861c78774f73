// SPDX-License-Identifier: GPL-3.0-or-later
//
// A sweep and its trials in words.
#pragma once

#include <QString>

#include "batchscope/sweep/sweeps.h"
#include "look/status_text.h"
#include "look/theme.h"

namespace batchscope::desktop {

StatusText describe(storage::SweepState state);
QString stateText(sweep::Standing::State state);
// Green running, amber waiting, red failed, grey done.
QColor colourOf(sweep::Standing::State state, const Theme& theme);

// "Trial 17, stopped" and below it all its parameters and its value, a line each.
QString trialText(const sweep::SweepView& view, std::size_t trial);

// Trials that the rule keeps from going on, for good or for now.
std::size_t stoppedEarly(const sweep::SweepView& view);
// Trials that train no more, whatever became of them.
std::size_t trialsDone(const sweep::SweepView& view);

}  // namespace batchscope::desktop
