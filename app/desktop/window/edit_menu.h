// SPDX-License-Identifier: GPL-3.0-or-later
//
// The Edit menu: edits of runs, and undo. One key undoes the last action, whether it was an edit of a run or
// a zoom of the charts.
#pragma once

#include <QMenu>

class QUndoStack;

namespace batchscope::desktop {

class RunActions;
class ViewState;

class EditMenu : public QMenu {
  Q_OBJECT
 public:
  EditMenu(QUndoStack* edits, ViewState* view, RunActions* runs, QWidget* parent = nullptr);

 Q_SIGNALS:
  void trashRequested();

 private:
  void update();

  QUndoStack* edits_;
  ViewState* view_;
  QAction *undo_, *redo_;
  bool zoomedLast_ = true;
};

}  // namespace batchscope::desktop
