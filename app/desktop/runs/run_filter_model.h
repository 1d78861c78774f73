// SPDX-License-Identifier: GPL-3.0-or-later
//
// The runs that pass a query, in the order of a column. A run without a value in that column comes last in
// either direction.
#pragma once

#include <QSortFilterProxyModel>
#include <QStringList>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/storage/run_filter.h"

namespace batchscope::desktop {

class RunModel;

// A person's search for runs: plain words, each of which is to be somewhere in a run's name, id, state,
// group, tags or note; or, as soon as a comparison is in it, the filter of `batchscope ls --where`
// (storage/run_filter.h).
class RunQuery {
 public:
  RunQuery() = default;  // every run passes

  // `fields`: those that the runs have. Throws FilterError.
  static RunQuery parse(const QString& text, const std::vector<std::string>& fields);

  bool isFilter() const { return filter_.has_value(); }
  bool matches(const storage::Run& run, double now) const;

 private:
  std::optional<storage::RunFilter> filter_;
  QStringList words_;
};

class RunFilterModel : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit RunFilterModel(RunModel* runs, QObject* parent = nullptr);

  void setQuery(const RunQuery& query);
  // Returns the index of the run with this id; invalid where it does not pass.
  QModelIndex find(const std::string& id) const;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  RunModel* runs_;
  RunQuery query_;
};

}  // namespace batchscope::desktop
