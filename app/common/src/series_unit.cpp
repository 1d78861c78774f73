// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/series_unit.h"

#include <array>
#include <utility>

#include "batchscope/common/derived_series.h"
#include "batchscope/protocol/series.h"

namespace batchscope::common {

namespace series = protocol::series;

SeriesKind kindOf(std::string_view name) noexcept {
  static constexpr std::array<std::pair<std::string_view, SeriesKind>, 17> kKinds{
      {{series::kAccuracy, SeriesKind::fraction},
       {series::kEfficiency, SeriesKind::fraction},
       {series::kModelError, SeriesKind::fraction},
       {series::kBatchSize, SeriesKind::whole},
       {series::kLocalBatchSize, SeriesKind::whole},
       {series::kCriticalBatchSize, SeriesKind::whole},
       {series::kAccumulation, SeriesKind::whole},
       {series::kReplicas, SeriesKind::whole},
       {series::kSamples, SeriesKind::count},
       {series::kStepTime, SeriesKind::duration},
       {series::kSyncTime, SeriesKind::duration},
       {series::kDataTime, SeriesKind::duration},
       {series::kModelStepTime, SeriesKind::duration},
       {kComputeTime, SeriesKind::duration},
       {series::kThroughput, SeriesKind::rate},
       {series::kGoodput, SeriesKind::rate},
       {series::kTime, SeriesKind::time}}};
  for (const auto& [known, kind] : kKinds)
    if (name == known) return kind;
  return SeriesKind::number;
}

Unit unitOf(std::string_view name) noexcept {
  if (name == series::kBatchSize || name == series::kLocalBatchSize || name == series::kNoiseScale ||
      name == series::kSamples || name == series::kCriticalBatchSize)
    return {"samples", 1};
  switch (kindOf(name)) {
    case SeriesKind::fraction: return {"%", 100};
    case SeriesKind::duration: return {"ms", 1000};
    case SeriesKind::rate: return {"samples/s", 1};
    default: return {};
  }
}

}  // namespace batchscope::common
