// SPDX-License-Identifier: GPL-3.0-or-later
//
// The values table of a comparison: a row for each run with its colour and name, a column for each series, at
// the place of the cross-hair on the x axis, or the newest while nothing is pointed at. A run that does not
// reach as far has no value there.
#pragma once

#include <QAbstractTableModel>
#include <QWidget>

#include "compare/compared_series.h"

class QTableView;

namespace batchscope::desktop {

class ComparisonModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Role { IdRole = Qt::UserRole };

  // Both outlive it.
  ComparisonModel(ComparedSeries* compared, ViewState* view, QObject* parent = nullptr);

  // The series that stand in it.
  static std::set<std::string> series();
  // Anew where the cross-hair is.
  void refresh();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void reset();

  ComparedSeries* compared_;
  ViewState* view_;
  std::vector<std::vector<QString>> cells_;  // a row each, name first
  std::vector<ComparedSeries::Entry> runs_;
  QString place_;
};

class ComparisonPanel : public QWidget {
  Q_OBJECT
 public:
  ComparisonPanel(ComparedSeries* compared, ViewState* view, QWidget* parent = nullptr);

 Q_SIGNALS:
  void runOpened(const QString& id);

 private:
  ComparisonModel* model_;
};

}  // namespace batchscope::desktop
