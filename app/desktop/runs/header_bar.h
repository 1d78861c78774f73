// SPDX-License-Identifier: GPL-3.0-or-later
//
// The header above the charts: the run, its state, its progress, and the view of the charts.
#pragma once

#include <QWidget>
#include <vector>

#include "series/x_axis.h"

class QAction;
class QActionGroup;
class QLabel;
class QMenu;
class QToolButton;

namespace batchscope::desktop {

class ElidedLabel;
class EpochBar;
class RunSession;
class ViewState;

class HeaderBar : public QWidget {
  Q_OBJECT
 public:
  HeaderBar(RunSession* session, ViewState* state, QWidget* parent = nullptr);

  // The menus, shared with the menu bar.
  QMenu* axisMenu() const { return axisMenu_; }
  QMenu* smoothingMenu() const { return smoothingMenu_; }
  QAction* explorerAction() const { return explorer_; }
  QAction* scalingAction() const { return scaling_; }  // at most one of the two is checked
  QAction* followAction() const { return follow_; }
  QAction* logAction() const { return log_; }
  QAction* resetAction() const { return reset_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void updateRun();  // as it is, or at the head of a replay
  void updateView();

  std::vector<QToolButton*> seldom_;  // pressed; the View menu has them where there is no room
  RunSession* session_;
  ViewState* state_;
  ElidedLabel* name_;
  QLabel* chip_;
  QLabel* epoch_;
  QLabel* time_;
  ElidedLabel* place_;  // of a run that trains elsewhere
  EpochBar* bar_;
  QMenu* axisMenu_;
  QMenu* smoothingMenu_;
  QActionGroup* axes_;
  QActionGroup* smoothings_;
  QToolButton* axisButton_;
  QToolButton* smoothingButton_;
  QAction* explorer_;
  QAction* scaling_;
  QAction* follow_;
  QAction* log_;
  QAction* reset_;
  bool isReplay_ = false;
};

}  // namespace batchscope::desktop
