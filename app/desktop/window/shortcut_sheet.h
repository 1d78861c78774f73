// SPDX-License-Identifier: GPL-3.0-or-later
//
// All keyboard shortcuts on one page, read from the menus themselves, so that it is always right.
#pragma once

#include <QDialog>

class QMenuBar;

namespace batchscope::desktop {

class ShortcutSheet : public QDialog {
  Q_OBJECT
 public:
  explicit ShortcutSheet(const QMenuBar* menus, QWidget* parent = nullptr);
};

}  // namespace batchscope::desktop
