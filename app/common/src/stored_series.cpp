// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/stored_series.h"

#include <algorithm>
#include <cmath>

#include "batchscope/common/run_clock.h"
#include "batchscope/protocol/series.h"

namespace batchscope::common {
namespace {

using storage::Bucket;

constexpr int kCountColumns = 1024;  // of a generation

}  // namespace

StoredSeries::StoredSeries(storage::SampleReader& reader, const std::vector<storage::Generation>& generations)
    : reader_(reader) {
  namespace series = protocol::series;
  for (const char* name : {series::kTime, series::kEpoch, series::kSamples, series::kProgress})
    for (const int generation : reader.generations(name)) {
      std::vector<Bucket> count = reader.summarize(name, generation, INT64_MIN, INT64_MAX, kCountColumns);
      std::erase_if(count, [](const Bucket& bucket) { return std::isnan(bucket.min); });
      if (!count.empty()) counts_[name][generation] = std::move(count);
    }
  const Counts& times = counts_[series::kTime];
  spans_ = spansOf(generations, [&](int generation) -> std::optional<std::pair<std::int64_t, std::int64_t>> {
    const auto found = times.find(generation);
    if (found == times.end()) return {};
    return std::pair(found->second.front().first_step, found->second.back().last_step);
  });
  if (times.empty()) return;
  const double began = times.begin()->second.front().min;
  origin_ = std::min(clockOrigin(generations, began), began);
}

StepMap StoredSeries::count(const std::string& series, int generation) const {
  const double origin = series == protocol::series::kTime ? origin_ : 0;
  const auto counts = counts_.find(series);
  if (counts == counts_.end()) return {{}, origin};
  const auto found = counts->second.find(generation);
  return found == counts->second.end() ? StepMap({}, origin) : StepMap(found->second, origin);
}

std::vector<Bucket> StoredSeries::buckets(const std::string& series, int generation, std::int64_t from,
                                          std::int64_t to, int columns) {
  // A summary may have twice as many buckets as it is asked for columns.
  return reader_.summarize(series, generation, from, to, std::max(1, columns));
}

}  // namespace batchscope::common
