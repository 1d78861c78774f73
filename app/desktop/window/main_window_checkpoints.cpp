// SPDX-License-Identifier: GPL-3.0-or-later
//
// Going on from a checkpoint: resuming and forking, from the panel and from the menu.
#include <QMenu>

#include "records/checkpoints_panel.h"
#include "runs/fork_dialog.h"
#include "session/launcher.h"
#include "session/run_session.h"
#include "window/main_window.h"

namespace batchscope::desktop {

void MainWindow::addCheckpointActions(QMenu* menu) {
  auto* panel = findChild<CheckpointsPanel*>();
  menu->addAction(panel->forkAction());
  menu->addAction(panel->resumeAction());
  connect(panel, &CheckpointsPanel::resumeRequested, this, [this] {
    say(tr("Resuming …"));
    launcher_->resume(session_->run().id, 0);
  });
  connect(panel, &CheckpointsPanel::forkRequested, this, [this](const storage::Checkpoint& checkpoint) {
    auto* dialog = new ForkDialog(session_->run(), checkpoint, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    const std::string id = session_->run().id;
    connect(dialog, &QDialog::accepted, this, [this, dialog, id] {
      say(tr("Forking …"));
      launcher_->fork(id, dialog->options());
    });
    dialog->open();
  });
}

}  // namespace batchscope::desktop
