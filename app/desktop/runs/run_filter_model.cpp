// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_filter_model.h"

#include <algorithm>

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

bool RunQuery::matches(const storage::Run& run, double now) const {
  if (filter_) return filter_->matches(run, now);
  if (words_.isEmpty()) return true;
  std::string text = run.name + ' ' + run.id + ' ' + run_state_name(run.state) + ' ' + run.spec.group;
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
