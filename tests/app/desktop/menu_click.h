// SPDX-License-Identifier: GPL-3.0-or-later
//
// Chooses an entry of a window's menus as a person does with the mouse, such as {"View", "Theme", "Dark"}.
#pragma once

#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QtTest>

namespace batchscope::desktop::test {

// False where there is no such entry, or it cannot be chosen.
inline bool clickMenu(QMainWindow& window, const QStringList& path) {
  QWidget* bar = window.menuBar();
  for (qsizetype depth = 0; depth < path.size(); ++depth) {
    QAction* entry = nullptr;
    for (QAction* action : bar->actions()) {
      if (action->text().remove(QLatin1Char('&')) == path[depth]) entry = action;
    }
    if (entry == nullptr || !entry->isEnabled()) return false;
    if (depth + 1 == path.size()) {
      auto* menu = qobject_cast<QMenu*>(bar);
      QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(entry).center());
      for (QWidget* left = QApplication::activePopupWidget(); left != nullptr;
           left = QApplication::activePopupWidget())
        left->close();
      return true;
    }
    bar = entry->menu();
    if (bar == nullptr) return false;
    entry->menu()->popup(window.mapToGlobal(QPoint(60, 30)));
  }
  return false;
}

}  // namespace batchscope::desktop::test
