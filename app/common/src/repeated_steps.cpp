// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/repeated_steps.h"

#include <algorithm>
#include <limits>

#include "batchscope/common/run_series.h"
#include "batchscope/protocol/series.h"

namespace batchscope::common {

// They may be of several generations, where the newest ones had gone on from an older checkpoint or had not
// come to a step.
Repeated repeatedBefore(const RunSeries& series, int generation) {
  Repeated repeated;
  const GenerationSpan* resumed = series.generation(generation);
  if (resumed == nullptr || resumed->last == 0) return repeated;
  std::int64_t undone = std::numeric_limits<std::int64_t>::max();  // from here on by others in between
  const auto& spans = series.generations();
  for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
    if (span->number >= generation || span->last == 0) continue;
    const std::int64_t from = std::max(resumed->first, span->first), to = std::min(span->last, undone - 1);
    undone = std::min(undone, span->first);
    if (from > to) continue;
    const auto begin =
        series.countAt(protocol::series::kTime, {span->number, std::max(from - 1, span->first)});
    const auto end = series.countAt(protocol::series::kTime, {span->number, to});
    repeated.steps += to - from + 1;
    if (begin && end) repeated.seconds += *end - *begin;
  }
  return repeated;
}

}  // namespace batchscope::common
