// SPDX-License-Identifier: GPL-3.0-or-later
#include "shortcut_sheet.h"

#include <QAction>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>

namespace batchscope::desktop {
namespace {

void collect(const QMenu* menu, QList<QAction*>& found) {
  for (QAction* action : menu->actions()) {
    if (const QMenu* below = action->menu()) {
      collect(below, found);
    } else if (!action->shortcut().isEmpty()) {
      found << action;
    }
  }
}

}  // namespace

ShortcutSheet::ShortcutSheet(const QMenuBar* menus, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Keyboard shortcuts"));
  auto* columns = new QHBoxLayout(this);
  columns->setContentsMargins(24, 20, 24, 24);
  columns->setSpacing(40);
  for (const QAction* top : menus->actions()) {
    QList<QAction*> actions;
    if (top->menu() != nullptr) collect(top->menu(), actions);
    if (actions.isEmpty()) continue;
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(20);
    grid->setVerticalSpacing(7);
    auto* title = new QLabel(top->text().remove(QLatin1Char('&')), this);
    title->setObjectName(QStringLiteral("section"));
    grid->addWidget(title, 0, 0, 1, 2);
    for (const QAction* action : actions) {
      const int row = grid->rowCount();
      auto* keys = new QLabel(action->shortcut().toString(QKeySequence::NativeText), this);
      keys->setObjectName(QStringLiteral("keys"));
      grid->addWidget(keys, row, 0, Qt::AlignLeft);
      grid->addWidget(new QLabel(action->text().remove(QLatin1Char('&')), this), row, 1);
    }
    grid->setRowStretch(grid->rowCount(), 1);
    columns->addLayout(grid);
  }
}

}  // namespace batchscope::desktop
