// SPDX-License-Identifier: GPL-3.0-or-later
//
// How large a dialog is: as it would be, and no larger than its window and the screen have room for.
#pragma once

#include <QSize>

class QDialog;

namespace batchscope::desktop {

void fit(QDialog* dialog, const QSize& wanted);

}  // namespace batchscope::desktop
