// SPDX-License-Identifier: GPL-3.0-or-later
//
// The settings with which the run was started, and those that it reports: name and value.
#pragma once

#include <utility>
#include <vector>

#include "look/plain_table.h"
#include "look/table_model.h"

namespace batchscope::desktop {

class RunSession;

class NamedValueModel : public TableModel {
  Q_OBJECT
 public:
  using Row = std::pair<QString, QString>;
  using TableModel::TableModel;

  void setRows(std::vector<Row> rows);

 protected:
  std::size_t rows() const override { return rows_.size(); }
  std::size_t columns() const override { return 2; }
  QVariant cell(std::size_t row, std::size_t column, int role) const override;

 private:
  std::vector<Row> rows_;
};

class HyperparametersPanel : public PlainTable {
  Q_OBJECT
 public:
  HyperparametersPanel(RunSession* session, QWidget* parent = nullptr);

 private:
  void refresh();

  RunSession* session_;
  NamedValueModel* values_;
};

}  // namespace batchscope::desktop
