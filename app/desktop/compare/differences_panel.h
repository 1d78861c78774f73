// SPDX-License-Identifier: GPL-3.0-or-later
//
// The differences of the compared runs (storage/side_by_side.h): their settings, hyperparameters, restarts
// and newest values, a column a run.
#pragma once

#include <QWidget>
#include <vector>

#include "batchscope/storage/side_by_side.h"
#include "look/table_model.h"

class QCheckBox;

namespace batchscope::desktop {

class CatalogueWatcher;
class ComparedSeries;

class DifferencesModel : public TableModel {
  Q_OBJECT
 public:
  using TableModel::TableModel;

  // `all`: rows with equal values, too.
  void setRuns(const std::vector<storage::Run>& runs,
               const std::vector<std::vector<storage::Generation>>& generations, bool all);

 protected:
  std::size_t rows() const override { return rows_.size(); }
  std::size_t columns() const override { return 2 + names_.size(); }
  QVariant cell(std::size_t row, std::size_t column, int role) const override;
  QVariant title(std::size_t column, int role) const override;

 private:
  struct Row {
    QString section, name;
    std::vector<QString> values;
    bool differs = false;
    qsizetype hidden = 0;  // characters that all values begin with, which are in the tool tip
  };

  std::vector<QString> names_;
  std::vector<Row> rows_;
};

class DifferencesPanel : public QWidget {
  Q_OBJECT
 public:
  DifferencesPanel(ComparedSeries* compared, CatalogueWatcher* watcher, QWidget* parent = nullptr);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void refresh();

  ComparedSeries* compared_;
  CatalogueWatcher* watcher_;
  DifferencesModel* model_;
  QCheckBox* all_;
};

}  // namespace batchscope::desktop
