// SPDX-License-Identifier: GPL-3.0-or-later
//
// Shows and hides a panel of the window, whose place it draws: a small window with that side filled while the
// panel is there.
#pragma once

#include <QToolButton>

namespace batchscope::desktop {

class PanelButton : public QToolButton {
  Q_OBJECT
 public:
  PanelButton(QAction* action, Qt::Edge edge, QWidget* parent = nullptr);

  QSize sizeHint() const override { return {26, 22}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Qt::Edge edge_;
};

}  // namespace batchscope::desktop
