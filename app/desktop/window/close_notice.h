// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "batchscope/storage/catalogue.h"

class QWidget;

namespace batchscope::desktop {

// Says on stderr, and for a few seconds in the window's place, which runs keep training after the window has
// closed; nothing where none does.
void showCloseNotice(const QWidget& window, const std::vector<storage::Run>& runs);

}  // namespace batchscope::desktop
