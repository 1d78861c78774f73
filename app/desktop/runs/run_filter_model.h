// SPDX-License-Identifier: GPL-3.0-or-later
//
// The runs that pass a query, in the order of a column. A run without a value in that column comes last in
// either direction. The trials of a sweep stand below its row, and are folded into it until a person unfolds
// them, or a query asks for trials.
#pragma once

#include <QSortFilterProxyModel>
#include <QStringList>
#include <optional>
#include <set>
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
  bool unfolds() const;  // it asks for trials as such
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
  // Returns the index of the run with this id; invalid where it does not pass, or is folded.
  QModelIndex find(const std::string& id) const;
  // The same; the row of its sweep for a trial that is folded.
  QModelIndex findShown(const std::string& id) const;
  // Runs that pass, folded ones too.
  int passing() const;

  // The name of the sweep whose row this is; else empty.
  QString sweepAt(const QModelIndex& index) const;
  // Folds the sweep of this row, or below whose row it is, where that says something else than now. Returns
  // the row of the sweep; invalid: it is the row of a run.
  QModelIndex setFolded(const QModelIndex& index, bool isFolded);
  void toggleFold(const QModelIndex& index);

  QVariant data(const QModelIndex& index, int role) const override;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  bool isFolded(const std::string& sweep) const { return !unfolded_.contains(sweep); }
  QModelIndex rowOf(const std::string& sweep) const;

  RunModel* runs_;
  RunQuery query_;
  std::set<std::string> unfolded_;  // names of sweeps
};

}  // namespace batchscope::desktop
