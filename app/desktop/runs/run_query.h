// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a person types to find runs: plain words, each of which is to be somewhere in a run's name, id, state,
// group, tags or note; or, as soon as a comparison is in it, the filter of `batchscope ls --where`
// (storage/run_filter.h).
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/storage/run_filter.h"

namespace batchscope::desktop {

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

}  // namespace batchscope::desktop
