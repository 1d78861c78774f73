// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_query.h"

#include <algorithm>

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

}  // namespace batchscope::desktop
