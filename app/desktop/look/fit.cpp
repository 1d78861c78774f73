// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/fit.h"

#include <QDialog>
#include <QScreen>

namespace batchscope::desktop {

void fit(QDialog* dialog, const QSize& wanted) {
  constexpr QSize kFrame(20, 60);
  QSize room = dialog->screen()->availableSize();
  if (const QWidget* window = dialog->parentWidget()) room = room.boundedTo(window->window()->size());
  dialog->resize(wanted.boundedTo(room - kFrame).expandedTo(dialog->minimumSize()));
}

}  // namespace batchscope::desktop
