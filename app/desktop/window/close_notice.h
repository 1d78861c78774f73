// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "batchscope/storage/catalogue.h"

class QWidget;

namespace batchscope::desktop {

// Where one of the runs trains on after the window has closed: says so on stderr, and for a few seconds in
// the window's place.
void showCloseNotice(const QWidget& window, const std::vector<storage::Run>& runs);

}  // namespace batchscope::desktop
