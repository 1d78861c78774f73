// SPDX-License-Identifier: GPL-3.0-or-later
//
// The checkpoints of the run, newest first.
#pragma once

#include <QAbstractTableModel>
#include <QWidget>
#include <vector>

#include "batchscope/storage/catalogue.h"

namespace batchscope::desktop {

class RunSession;

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
  CheckpointsPanel(RunSession* session, QWidget* parent = nullptr);

 private:
  void refresh();

  RunSession* session_;
  CheckpointModel* model_;
};

}  // namespace batchscope::desktop
