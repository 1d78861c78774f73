// SPDX-License-Identifier: GPL-3.0-or-later
//
// The runs that pass a query, in the order of a column. A run without a value in that column comes last in
// either direction.
#pragma once

#include <QSortFilterProxyModel>

#include "runs/run_query.h"

namespace batchscope::desktop {

class RunModel;

class RunFilterModel : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit RunFilterModel(RunModel* runs, QObject* parent = nullptr);

  void setQuery(const RunQuery& query);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  RunModel* runs_;
  RunQuery query_;
};

}  // namespace batchscope::desktop
