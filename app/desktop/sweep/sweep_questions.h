// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batchscope/sweep/sweep_file.h"

class QWidget;

namespace batchscope::desktop {

class SweepSession;

// Asks whether the sweep of this name is to be ended, and ends it if so.
void askToStop(SweepSession* session, const std::string& name, QWidget* window);
// Asks how many more trials the sweep is to have, and where it has a budget how many more device-hours.
void askForMore(SweepSession* session, const sweep::SweepFile& file, QWidget* window);

}  // namespace batchscope::desktop
