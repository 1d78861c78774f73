// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/edit_menu.h"

#include <QUndoStack>

#include "runs/run_actions.h"
#include "series/view_state.h"

namespace batchscope::desktop {

EditMenu::EditMenu(QUndoStack* edits, ViewState* view, RunActions* runs, QWidget* parent)
    : QMenu(tr("&Edit"), parent), edits_(edits), view_(view) {
  undo_ = addAction(QString(), QKeySequence::Undo, this, [this] {
    const bool zoom = view_->canUndo() && (zoomedLast_ || !edits_->canUndo());
    zoom ? view_->undoZoom() : edits_->undo();
  });
  redo_ = addAction(QString(), Qt::CTRL | Qt::SHIFT | Qt::Key_Z, this, [this] {
    const bool zoom = view_->canRedo() && (zoomedLast_ || !edits_->canRedo());
    zoom ? view_->redoZoom() : edits_->redo();
  });
  addSeparator();
  runs->fill(this);
  addAction(tr("Trash …"), this, &EditMenu::trashRequested);
  connect(view_, &ViewState::zoomedByHand, this, [this] { zoomedLast_ = true; });
  connect(view_, &ViewState::changed, this, &EditMenu::update);
  connect(edits_, &QUndoStack::indexChanged, this, [this] {
    zoomedLast_ = false;
    update();
  });
  update();
}

void EditMenu::update() {
  const auto show = [this](QAction* action, const QString& verb, bool canZoom, bool canEdit,
                           const QString& edit) {
    const bool zooms = canZoom && (zoomedLast_ || !canEdit);
    action->setText(zooms ? tr("%1 zoom or pan").arg(verb) : canEdit ? tr("%1 %2").arg(verb, edit) : verb);
    action->setEnabled(zooms || canEdit);
  };
  show(undo_, tr("Undo"), view_->canUndo(), edits_->canUndo(), edits_->undoText());
  show(redo_, tr("Redo"), view_->canRedo(), edits_->canRedo(), edits_->redoText());
}

}  // namespace batchscope::desktop
