// SPDX-License-Identifier: GPL-3.0-or-later
//
// The checkpoints of the run, newest first. Charts mark them; a chosen one moves the cross-hair to its step,
// and the cross-hair, or a press on a mark, chooses the one that was written there. From each the run can be
// forked, and from the newest resumed, with the command line that does the same.
#pragma once

#include <QWidget>
#include <vector>

#include "batchscope/storage/catalogue.h"
#include "look/table_model.h"
#include "series/series_model.h"

class QAction;
class QLabel;
class QTableView;

namespace batchscope::desktop {

class RunSession;
class ViewState;

class CheckpointModel : public TableModel {
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

  using TableModel::TableModel;

  const storage::Checkpoint& at(int row) const { return checkpoints_.at(static_cast<std::size_t>(row)); }
  // Returns the row of the checkpoint after this step; -1: there is none.
  int rowOf(const StepRef& step) const;
  void setCheckpoints(const std::vector<storage::Checkpoint>& checkpoints);

 protected:
  std::size_t rows() const override { return checkpoints_.size(); }
  std::size_t columns() const override { return ColumnCount; }
  QVariant cell(std::size_t row, std::size_t column, int role) const override;
  QVariant title(std::size_t column, int role) const override;

 private:
  std::vector<storage::Checkpoint> checkpoints_;
};

class CheckpointsPanel : public QWidget {
  Q_OBJECT
 public:
  CheckpointsPanel(RunSession* session, ViewState* state, QWidget* parent = nullptr);

  QAction* resumeAction() const { return resume_; }
  QAction* forkAction() const { return fork_; }

 Q_SIGNALS:
  void resumeRequested();  // from the newest
  void forkRequested(const batchscope::storage::Checkpoint& checkpoint);

 private:
  void refresh();
  void updateActions();
  // The chosen one, else the newest; null: there is none.
  const storage::Checkpoint* chosen() const;

  RunSession* session_;
  ViewState* state_;
  CheckpointModel* model_;
  QTableView* table_;
  QAction* resume_;
  QAction* fork_;
  QLabel* command_;
};

}  // namespace batchscope::desktop
