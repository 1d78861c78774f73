// SPDX-License-Identifier: GPL-3.0-or-later
#include "checkpoints_panel.h"

#include <QVBoxLayout>
#include <algorithm>

#include "format.h"
#include "plain_table.h"
#include "run_session.h"
#include "step_link.h"
#include "theme.h"
#include "view_state.h"

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

int CheckpointModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(checkpoints_.size());
}

int CheckpointModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant CheckpointModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const storage::Checkpoint& checkpoint = checkpoints_[static_cast<std::size_t>(index.row())];
  if (role == Qt::ForegroundRole && index.column() != NameColumn) return Theme::current().dim;
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case NameColumn: return QString::fromStdString(checkpoint.name);
    case StepColumn: return formatCount(checkpoint.step);
    case EpochColumn: return formatCount(checkpoint.epoch);
    case ProgressColumn: return formatNumber(checkpoint.progress);
    case SizeColumn: return formatBytes(checkpoint.bytes);
    case TookColumn: return formatPause(checkpoint.seconds);
    case TimeColumn: return formatTimeOfDay(checkpoint.time);
    case ReasonColumn: return QString::fromStdString(checkpoint.reason);
    default: return {};
  }
}

QVariant CheckpointModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case NameColumn: return tr("Checkpoint");
    case StepColumn: return tr("Step");
    case EpochColumn: return tr("Epoch");
    case ProgressColumn: return tr("Progress");
    case SizeColumn: return tr("Size");
    case TookColumn: return tr("Took");
    case TimeColumn: return tr("Written");
    case ReasonColumn: return tr("Why");
    default: return {};
  }
}

int CheckpointModel::rowOf(const StepRef& step) const {
  for (int row = 0; row < rowCount(); ++row) {
    if (at(row).generation == step.generation && at(row).step == step.step) return row;
  }
  return -1;
}

CheckpointsPanel::CheckpointsPanel(RunSession* session, ViewState* state, QWidget* parent)
    : QWidget(parent), session_(session), state_(state), model_(new CheckpointModel(this)) {
  auto* table = new PlainTable(tr("No checkpoint yet. Ctrl+S writes one after the next step."), this);
  table->setAccessibleName(tr("Checkpoints"));
  table->setModel(model_);
  table->setColumnWidth(CheckpointModel::NameColumn, 150);
  for (int column = CheckpointModel::StepColumn; column < CheckpointModel::ReasonColumn; ++column) {
    table->setColumnWidth(column, 76);
  }
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(table);
  linkToCursor(
      table, state,
      [this](int row) {
        return StepRef{model_->at(row).generation, model_->at(row).step};
      },
      [this](const StepRef& step) { return model_->rowOf(step); });
  connect(session_, &RunSession::opened, this, &CheckpointsPanel::refresh);
  connect(session_, &RunSession::detailsChanged, this, &CheckpointsPanel::refresh);
}

void CheckpointsPanel::refresh() {
  const auto checkpoints = session_->isOpen() ? session_->catalogue().checkpoints(session_->run().id)
                                              : std::vector<storage::Checkpoint>{};
  model_->setCheckpoints(checkpoints);
  std::vector<StepRef> marks;
  for (const storage::Checkpoint& checkpoint : checkpoints)
    marks.push_back({checkpoint.generation, checkpoint.step});
  state_->setMarks(std::move(marks));
}

}  // namespace batchscope::desktop
