// SPDX-License-Identifier: GPL-3.0-or-later
//
// The checkpoints of the run, newest first. Charts mark them; a chosen one moves the cross-hair to its step,
// and the cross-hair, or a press on a mark, chooses the one that was written there.
#pragma once

#include <QAbstractTableModel>
#include <QWidget>
#include <vector>

#include "batchscope/storage/catalogue.h"
#include "series_model.h"

namespace batchscope::desktop {

class RunSession;
class ViewState;

class CheckpointModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    NameColumn,
    StepColumn,
    EpochColumn,
    ProgressColumn,
    SizeColumn,
    TookColumn,
    TimeColumn,
    ReasonColumn,
    ColumnCount
  };

  using QAbstractTableModel::QAbstractTableModel;

  const storage::Checkpoint& at(int row) const { return checkpoints_.at(static_cast<std::size_t>(row)); }
  // Of the checkpoint after this step; -1: there is none.
  int rowOf(const StepRef& step) const;
  void setCheckpoints(const std::vector<storage::Checkpoint>& checkpoints);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<storage::Checkpoint> checkpoints_;
};

class CheckpointsPanel : public QWidget {
  Q_OBJECT
 public:
  CheckpointsPanel(RunSession* session, ViewState* state, QWidget* parent = nullptr);

 private:
  void refresh();

  RunSession* session_;
  ViewState* state_;
  CheckpointModel* model_;
};

}  // namespace batchscope::desktop
