// SPDX-License-Identifier: GPL-3.0-or-later
//
// The values table of a comparison: a row for each run with its colour and name, a column for each series, at
// the place of the cross-hair on the x axis, or the newest while nothing is pointed at. A run that does not
// reach as far has no value there.
#pragma once

#include <QWidget>

#include "compare/compared_series.h"
#include "look/table_model.h"

namespace batchscope::desktop {

class ComparisonModel : public TableModel {
  Q_OBJECT
 public:
  enum Role { IdRole = Qt::UserRole };

  // Both outlive it.
  ComparisonModel(ComparedSeries* compared, ViewState* view, QObject* parent = nullptr);

  // Returns the series of its columns.
  static std::set<std::string> series();
  // Reads the values again, where the cross-hair is.
  void refresh();

 protected:
  std::size_t rows() const override { return runs_.size(); }
  std::size_t columns() const override;
  QVariant cell(std::size_t row, std::size_t column, int role) const override;
  QVariant title(std::size_t column, int role) const override;

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
};

}  // namespace batchscope::desktop
