// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/run_series.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace batchscope::common {

std::vector<GenerationSpan> spansOf(const std::vector<storage::Generation>& generations,
                                    const StepsOf& stepsOf) {
  std::vector<GenerationSpan> spans;
  std::int64_t resumed = std::numeric_limits<std::int64_t>::max();
  for (auto generation = generations.rbegin(); generation != generations.rend(); ++generation) {
    GenerationSpan span{.number = generation->number,
                        .replicas = generation->replicas,
                        .lostFrom = resumed,
                        .reason = generation->reason,
                        .pause = generation->pause,
                        .parts = generation->pause_parts};
    if (const auto steps = stepsOf(generation->number)) {
      std::tie(span.first, span.last) = *steps;
      resumed = std::min(resumed, span.first);
    }
    spans.push_back(std::move(span));
  }
  std::reverse(spans.begin(), spans.end());
  return spans;
}

const GenerationSpan* RunSeries::generation(int number) const {
  const auto& spans = generations();
  const auto found = std::ranges::find(spans, number, &GenerationSpan::number);
  return found == spans.end() ? nullptr : &*found;
}

std::optional<double> RunSeries::countAt(const std::string& series, const StepRef& at) const {
  if (generation(at.generation) == nullptr) return {};
  const double value = count(series, at.generation).at(static_cast<double>(at.step));
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

}  // namespace batchscope::common
