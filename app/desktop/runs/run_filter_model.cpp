// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_filter_model.h"

#include "runs/run_model.h"

namespace batchscope::desktop {

RunFilterModel::RunFilterModel(RunModel* runs, QObject* parent) : QSortFilterProxyModel(parent), runs_(runs) {
  setSourceModel(runs);
}

void RunFilterModel::setQuery(const RunQuery& query) {
  query_ = query;
  invalidateFilter();
}

bool RunFilterModel::filterAcceptsRow(int row, const QModelIndex&) const {
  return query_.matches(runs_->at(row), storage::now());
}

bool RunFilterModel::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const std::string& field = runs_->field(left.column());
  const double now = storage::now();
  const auto a = storage::field_value(runs_->at(left.row()), field, now);
  const auto b = storage::field_value(runs_->at(right.row()), field, now);
  // A descending sort asks whether the right one comes before the left one.
  return sortOrder() == Qt::AscendingOrder ? storage::field_before(a, b, false)
                                           : storage::field_before(b, a, true);
}

}  // namespace batchscope::desktop
