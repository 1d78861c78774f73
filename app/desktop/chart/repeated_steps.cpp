// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/repeated_steps.h"

#include <algorithm>
#include <limits>

#include "chart/series_model.h"

namespace batchscope::desktop {

// They may be of several generations, where the newest ones had gone on from an older checkpoint or had not
// come to a step.
Repeated repeatedBefore(const SeriesModel& series, int generation) {
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
    const auto begin = series.position(XAxis::WallTime, {span->number, std::max(from - 1, span->first)});
    const auto end = series.position(XAxis::WallTime, {span->number, to});
    repeated.steps += to - from + 1;
    if (begin && end) repeated.seconds += *end - *begin;
  }
  return repeated;
}

}  // namespace batchscope::desktop
