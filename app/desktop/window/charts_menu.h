// SPDX-License-Identifier: GPL-3.0-or-later
//
// The menu of the dashboard's charts and their order: a box to tick for each chart, and actions on one chart:
// the one whose menu is open, else the one with the focus or under the mouse.
#pragma once

#include <QMenu>
#include <QPointer>
#include <functional>

namespace batchscope::desktop {

class ChartCard;
class Dashboard;

class ChartsMenu : public QMenu {
  Q_OBJECT
 public:
  explicit ChartsMenu(Dashboard* dashboard, QWidget* parent = nullptr);

 Q_SIGNALS:
  void presentationRequested(int place);  // of a card of the dashboard

 private:
  void addFor(const QString& text, const QKeySequence& keys, std::function<void(ChartCard*)> act);
  void addStep(const QString& text, const QKeySequence& keys, int by);
  void fillChoice();
  void fillCardMenu(QMenu* menu, ChartCard* card);

  Dashboard* dashboard_;
  QMenu* choice_;
  QList<QAction*> actionsOfOne_;
  QPointer<ChartCard> meant_;  // while its own menu is open
};

}  // namespace batchscope::desktop
