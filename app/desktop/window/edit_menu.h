// SPDX-License-Identifier: GPL-3.0-or-later
//
// The Edit menu: what is done with runs, and undoing it. One key takes back what was done last, whether it
// was written of a run or was a zoom of the charts.
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
