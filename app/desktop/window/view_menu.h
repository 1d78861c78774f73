// SPDX-License-Identifier: GPL-3.0-or-later
//
// How the charts are looked at, for the keyboard too: axis, smoothing, following, zoom, pan and cross-hair;
// and the palette.
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
  // `queue` shows the queue of the pool.
  ViewMenu(RunSession* session, ViewState* view, Dashboard* dashboard, const HeaderBar* header,
           QAction* queue, QWidget* parent);

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
