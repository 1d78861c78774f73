// SPDX-License-Identifier: GPL-3.0-or-later
//
// The view of the charts, for the keyboard too: axis, smoothing, following, zoom, pan and cross-hair; and the
// palette.
#pragma once

#include <QMenu>

namespace batchscope::desktop {

class Dashboard;
class HeaderBar;
class RunSession;
class ViewState;

class ViewMenu : public QMenu {
  Q_OBJECT
 public:
  // `pages` show more than one run: the queue of the pool, a sweep.
  ViewMenu(RunSession* session, ViewState* view, Dashboard* dashboard, const HeaderBar* header,
           const QList<QAction*>& pages, QWidget* parent);

 Q_SIGNALS:
  void backRequested();  // to the page before

 private:
  void zoom(double factor);
  void pan(double fraction);
  void moveCursor(int steps);

  RunSession* session_;
  ViewState* view_;
};

// Light, dark or as the system, and the colours for the colour-blind; kept for the next time.
QMenu* makeThemeMenu(QWidget* parent);

}  // namespace batchscope::desktop
