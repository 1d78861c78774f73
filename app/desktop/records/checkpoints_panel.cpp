// SPDX-License-Identifier: GPL-3.0-or-later
#include "records/checkpoints_panel.h"

#include <QAction>
#include <QToolButton>
#include <algorithm>

#include "batchscope/common/number_text.h"
#include "look/box.h"
#include "look/plain_table.h"
#include "look/theme.h"
#include "records/step_link.h"
#include "series/view_state.h"
#include "session/run_session.h"

namespace batchscope::desktop {

void CheckpointModel::setCheckpoints(const std::vector<storage::Checkpoint>& checkpoints) {
  const bool isSame =
      std::equal(checkpoints.begin(), checkpoints.end(), checkpoints_.begin(), checkpoints_.end(),
                 [](const auto& a, const auto& b) { return a.name == b.name && a.time == b.time; });
  if (isSame) return;
  beginResetModel();
  checkpoints_ = checkpoints;
  endResetModel();
}

QVariant CheckpointModel::cell(std::size_t row, std::size_t column, int role) const {
  const storage::Checkpoint& checkpoint = checkpoints_[row];
  if (role == Qt::ForegroundRole && column != NameColumn) return Theme::current().dim;
  if (role != Qt::DisplayRole) return {};
  switch (column) {
    case NameColumn: return QString::fromStdString(checkpoint.name);
    case StepColumn: return common::formatCount(checkpoint.step);
    case EpochColumn: return common::formatCount(checkpoint.epoch);
    case ProgressColumn: return common::formatNumber(checkpoint.progress);
    case SizeColumn: return common::formatBytes(checkpoint.bytes);
    case TookColumn: return common::formatPause(checkpoint.seconds);
    case TimeColumn: return common::formatTimeOfDay(checkpoint.time);
    default: return QString::fromStdString(checkpoint.reason);
  }
}

QVariant CheckpointModel::title(std::size_t column, int role) const {
  if (role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("Checkpoint"), tr("Step"), tr("Epoch"),   tr("Progress"),
                            tr("Size"),       tr("Took"), tr("Written"), tr("Why")};
  return titles[column];
}

int CheckpointModel::rowOf(const StepRef& step) const {
  for (int row = 0; row < rowCount(); ++row) {
    if (at(row).generation == step.generation && at(row).step == step.step) return row;
  }
  return -1;
}

CheckpointsPanel::CheckpointsPanel(RunSession* session, ViewState* state, QWidget* parent)
    : QWidget(parent),
      session_(session),
      state_(state),
      model_(new CheckpointModel(this)),
      table_(new PlainTable(tr("No checkpoint yet. Ctrl+S writes one after the next step."), this)),
      resume_(new QAction(tr("Resume from the newest checkpoint"), this)),
      fork_(new QAction(tr("Fork from the chosen checkpoint …"), this)),
      command_(named("hint", this)) {
  table_->setAccessibleName(tr("Checkpoints"));
  table_->setMinimumHeight(40);
  table_->setModel(model_);
  table_->setColumnWidth(CheckpointModel::NameColumn, 150);
  for (int column = CheckpointModel::StepColumn; column < CheckpointModel::ReasonColumn; ++column) {
    table_->setColumnWidth(column, 76);
  }
  resume_->setIconText(tr("Resume"));
  resume_->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P));
  fork_->setIconText(tr("Fork …"));
  fork_->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F));
  command_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  command_->setWordWrap(true);
  setMinimumWidth(360);
  table_->addActions({fork_, resume_});
  table_->setContextMenuPolicy(Qt::ActionsContextMenu);
  QLayout* top =
      hbox(nullptr, {12, 8, 12, 4}, 8, {buttonOf(fork_, this), buttonOf(resume_, this), {command_, 1}});
  vbox(this, {}, 0, {top, {table_, 1}});
  linkToCursor(
      table_, state,
      [this](int row) {
        return StepRef{model_->at(row).generation, model_->at(row).step};
      },
      [this](const StepRef& step) { return model_->rowOf(step); });
  connect(fork_, &QAction::triggered, this, [this] {
    if (const storage::Checkpoint* checkpoint = chosen()) Q_EMIT forkRequested(*checkpoint);
  });
  connect(table_, &QAbstractItemView::doubleClicked, fork_, &QAction::trigger);
  connect(resume_, &QAction::triggered, this, &CheckpointsPanel::resumeRequested);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &CheckpointsPanel::updateActions);
  connect(state_, &ViewState::cursorMoved, this, &CheckpointsPanel::updateActions);
  connect(session_, &RunSession::statusChanged, this, &CheckpointsPanel::updateActions);
  updateActions();
  connect(session_, &RunSession::opened, this, &CheckpointsPanel::refresh);
  connect(session_, &RunSession::detailsChanged, this, &CheckpointsPanel::refresh);
}

void CheckpointsPanel::refresh() {
  const auto checkpoints = session_->isOpen() ? session_->checkpoints() : std::vector<storage::Checkpoint>{};
  model_->setCheckpoints(checkpoints);
  std::vector<StepRef> marks;
  for (const storage::Checkpoint& checkpoint : checkpoints)
    marks.push_back({checkpoint.generation, checkpoint.step});
  state_->setMarks(std::move(marks));
  updateActions();
}

const storage::Checkpoint* CheckpointsPanel::chosen() const {
  if (model_->rowCount() == 0) return nullptr;
  const QModelIndex current = table_->currentIndex();
  return &model_->at(current.isValid() ? current.row() : 0);
}

void CheckpointsPanel::updateActions() {
  const storage::Checkpoint* checkpoint = session_->isOpen() ? chosen() : nullptr;
  fork_->setEnabled(checkpoint != nullptr);
  resume_->setEnabled(checkpoint != nullptr && is_resumable(session_->run().state));
  const bool isNewest = checkpoint != nullptr && checkpoint == &model_->at(0);
  const QString id = checkpoint == nullptr ? QString() : QString::fromStdString(session_->run().id);
  command_->setText(checkpoint == nullptr ? QString()
                    : isNewest && resume_->isEnabled()
                        ? QStringLiteral("batchscope resume %1").arg(id)
                        : QStringLiteral("batchscope fork %1 --checkpoint %2")
                              .arg(id, QString::fromStdString(checkpoint->name)));
}

}  // namespace batchscope::desktop
