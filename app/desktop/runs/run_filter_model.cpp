// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_filter_model.h"

#include <algorithm>

#include "batchscope/common/trial_fold.h"
#include "runs/run_model.h"

namespace batchscope::desktop {
namespace {

bool holdsComparison(const QString& text) {
  return std::any_of(text.begin(), text.end(), [](QChar c) { return QStringLiteral("=<>~!()").contains(c); });
}

}  // namespace

RunQuery RunQuery::parse(const QString& text, const std::vector<std::string>& fields) {
  RunQuery query;
  if (holdsComparison(text)) {
    query.filter_ = storage::RunFilter::parse(text.toStdString());
    query.filter_->check_fields(fields);
  } else {
    query.words_ = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  }
  return query;
}

bool RunQuery::unfolds() const { return filter_ && common::unfolds(*filter_); }

bool RunQuery::matches(const storage::Run& run, double now) const {
  if (filter_) return filter_->matches(run, now);
  if (words_.isEmpty()) return true;
  std::string text = run.name + ' ' + run.id + ' ' + storage::shown_state(run) + ' ' + run.spec.group;
  for (const std::string& tag : run.tags) text += ' ' + tag;
  const QString all = QString::fromStdString(text + ' ' + run.note);
  return std::all_of(words_.begin(), words_.end(),
                     [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

RunFilterModel::RunFilterModel(RunModel* runs, QObject* parent) : QSortFilterProxyModel(parent), runs_(runs) {
  setSourceModel(runs);
}

void RunFilterModel::setQuery(const RunQuery& query) {
  query_ = query;
  invalidateFilter();
}

QModelIndex RunFilterModel::find(const std::string& id) const {
  return match(index(0, 0), RunModel::IdRole, QString::fromStdString(id), 1, Qt::MatchExactly).value(0);
}

QModelIndex RunFilterModel::rowOf(const std::string& sweep) const {
  for (int row = 0; row < rowCount(); ++row)
    if (sweepAt(index(row, 0)) == QString::fromStdString(sweep)) return index(row, 0);
  return {};
}

QModelIndex RunFilterModel::findShown(const std::string& id) const {
  if (const QModelIndex found = find(id); found.isValid()) return found;
  for (int row = 0; row < runs_->rowCount(); ++row)
    if (runs_->at(row).id == id && runs_->place(row) == RunModel::Place::trial)
      return rowOf(runs_->sweepOf(row));
  return {};
}

int RunFilterModel::passing() const {
  const double now = storage::now();
  return static_cast<int>(std::ranges::count_if(
      runs_->runs(), [&](const storage::Run& run) { return query_.matches(run, now); }));
}

QString RunFilterModel::sweepAt(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const int row = mapToSource(index).row();
  return runs_->place(row) == RunModel::Place::sweep ? QString::fromStdString(runs_->sweepOf(row))
                                                     : QString();
}

QModelIndex RunFilterModel::setFolded(const QModelIndex& index, bool folded) {
  if (!index.isValid()) return {};
  const std::string sweep = runs_->sweepOf(mapToSource(index).row());
  if (sweep.empty()) return {};
  if (folded != isFolded(sweep)) {
    folded ? void(unfolded_.erase(sweep)) : void(unfolded_.insert(sweep));
    invalidateFilter();
    const QModelIndex head = rowOf(sweep);
    if (head.isValid()) Q_EMIT dataChanged(head, head);
  }
  return rowOf(sweep);
}

void RunFilterModel::toggleFold(const QModelIndex& index) {
  setFolded(index, !isFolded(sweepAt(index).toStdString()));
}

QVariant RunFilterModel::data(const QModelIndex& index, int role) const {
  const QVariant value = QSortFilterProxyModel::data(index, role);
  if (role != Qt::DisplayRole || index.column() != 0) return value;
  const int row = mapToSource(index).row();
  switch (runs_->place(row)) {
    case RunModel::Place::run: return value;
    case RunModel::Place::sweep:
      return (isFolded(runs_->sweepOf(row)) ? QStringLiteral("▸ ") : QStringLiteral("▾ ")) + value.toString();
    case RunModel::Place::trial:
      return query_.unfolds() ? value : QVariant(QStringLiteral("    ") + value.toString());
  }
  return value;
}

bool RunFilterModel::filterAcceptsRow(int row, const QModelIndex&) const {
  const double now = storage::now();
  const RunModel::Place place = runs_->place(row);
  if (place == RunModel::Place::sweep) {
    if (query_.unfolds()) return false;
    for (int trial = row + 1; trial < runs_->rowCount() && runs_->place(trial) == RunModel::Place::trial;
         ++trial)
      if (query_.matches(runs_->at(trial), now)) return true;
    return false;
  }
  const bool isHidden = place == RunModel::Place::trial && !query_.unfolds() && isFolded(runs_->sweepOf(row));
  return !isHidden && query_.matches(runs_->at(row), now);
}

// A descending sort asks whether the right one comes before the left one.
bool RunFilterModel::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const bool isAscending = sortOrder() == Qt::AscendingOrder;
  const int first = (isAscending ? left : right).row(), second = (isAscending ? right : left).row();
  const std::string& field = runs_->field(left.column());
  const auto isBefore = [&](int a, int b) {
    const double now = storage::now();
    return storage::field_before(storage::field_value(runs_->at(a), field, now),
                                 storage::field_value(runs_->at(b), field, now), !isAscending);
  };
  if (query_.unfolds()) return isBefore(first, second);
  // Trials go with their sweep, which stands above them.
  const auto headOf = [this](int row) {
    while (row > 0 && runs_->place(row) == RunModel::Place::trial) --row;
    return row;
  };
  const int firstHead = headOf(first), secondHead = headOf(second);
  if (firstHead != secondHead) {
    if (isBefore(firstHead, secondHead)) return true;
    return !isBefore(secondHead, firstHead) && firstHead < secondHead;
  }
  if (first == firstHead || second == firstHead) return first == firstHead && second != firstHead;
  return isBefore(first, second);
}

}  // namespace batchscope::desktop
