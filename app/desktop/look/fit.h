// SPDX-License-Identifier: GPL-3.0-or-later
//
// The size of a dialog: as large as it asks for, but no larger than its window and the screen.
#pragma once

#include <QSize>

class QDialog;

namespace batchscope::desktop {

void fit(QDialog* dialog, const QSize& wanted);

}  // namespace batchscope::desktop
