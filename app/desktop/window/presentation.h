// SPDX-License-Identifier: GPL-3.0-or-later
//
// One chart of the dashboard on the whole screen for a room to see: all of it magnified, text and lines too.
// Left and right show the charts beside it, Escape or F11 ends it.
#pragma once

#include <QGraphicsView>

class QGraphicsProxyWidget;

namespace batchscope::desktop {

class ChartCard;
class Dashboard;
class RunSession;

class Presentation : public QGraphicsView {
  Q_OBJECT
 public:
  // Presents the chart at this place on the dashboard. A window of its own, gone when it is closed.
  Presentation(Dashboard* dashboard, int place, RunSession* session, QWidget* parent);

  ChartCard* card() const { return card_; }

 protected:
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void turn(int by);
  void fit();

  Dashboard* dashboard_;
  int place_;
  QGraphicsProxyWidget* proxy_ = nullptr;
  ChartCard* card_ = nullptr;
};

}  // namespace batchscope::desktop
