// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the run was started with and what it says of itself: name and value.
#pragma once

#include <QAbstractTableModel>
#include <QWidget>
#include <utility>
#include <vector>

namespace batchscope::desktop {

class RunSession;

class NamedValueModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using Row = std::pair<QString, QString>;
  using QAbstractTableModel::QAbstractTableModel;

  void setRows(std::vector<Row> rows);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  std::vector<Row> rows_;
};

class HyperparametersPanel : public QWidget {
  Q_OBJECT
 public:
  HyperparametersPanel(RunSession* session, QWidget* parent = nullptr);

 private:
  void refresh();

  RunSession* session_;
  NamedValueModel* model_;
};

}  // namespace batchscope::desktop
