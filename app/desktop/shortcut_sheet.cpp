// SPDX-License-Identifier: GPL-3.0-or-later
#include "shortcut_sheet.h"

#include <QAction>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <vector>

namespace batchscope::desktop {
namespace {

struct Shortcut {
  QString keys, text;
};

QString plain(QString text) { return text.remove(QLatin1Char('&')); }

// What lies in a menu below says so: "X axis: Step".
void collect(const QMenu* menu, const QString& path, std::vector<Shortcut>& found) {
  for (const QAction* action : menu->actions()) {
    if (const QMenu* below = action->menu()) {
      collect(below, ShortcutSheet::tr("%1: ").arg(plain(below->title())), found);
    } else if (!action->shortcut().isEmpty()) {
      found.push_back({action->shortcut().toString(QKeySequence::NativeText), path + plain(action->text())});
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
    std::vector<Shortcut> shortcuts;
    if (top->menu() != nullptr) collect(top->menu(), {}, shortcuts);
    if (shortcuts.empty()) continue;
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(20);
    grid->setVerticalSpacing(7);
    auto* title = new QLabel(plain(top->text()), this);
    title->setObjectName(QStringLiteral("section"));
    grid->addWidget(title, 0, 0, 1, 2);
    for (const Shortcut& shortcut : shortcuts) {
      const int row = grid->rowCount();
      auto* keys = new QLabel(shortcut.keys, this);
      keys->setObjectName(QStringLiteral("keys"));
      grid->addWidget(keys, row, 0, Qt::AlignLeft);
      grid->addWidget(new QLabel(shortcut.text, this), row, 1);
    }
    grid->setRowStretch(grid->rowCount(), 1);
    columns->addLayout(grid);
  }
}

}  // namespace batchscope::desktop
