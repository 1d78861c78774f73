// SPDX-License-Identifier: GPL-3.0-or-later
#include "checkpoints_panel.h"

#include <QVBoxLayout>
#include <algorithm>

#include "format.h"
#include "plain_table.h"
#include "run_session.h"
#include "theme.h"

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

CheckpointsPanel::CheckpointsPanel(RunSession* session, QWidget* parent)
    : QWidget(parent), session_(session), model_(new CheckpointModel(this)) {
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
  connect(session_, &RunSession::opened, this, &CheckpointsPanel::refresh);
  connect(session_, &RunSession::detailsChanged, this, &CheckpointsPanel::refresh);
}

void CheckpointsPanel::refresh() {
  model_->setCheckpoints(session_->isOpen() ? session_->catalogue().checkpoints(session_->run().id)
                                            : std::vector<storage::Checkpoint>{});
}

}  // namespace batchscope::desktop
