// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/step_times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "batchscope/protocol/series.h"
#include "batchscope/run/model.h"

namespace batchscope::run {
namespace {

namespace names = protocol::series;
using storage::Bucket;

constexpr double kMost = 1e9;  // of either size; what is beyond is not training

// The bucket's value where the series is constant over it.
std::optional<double> constant(std::span<const Bucket> buckets, std::size_t& at, const Bucket& over) {
  while (at < buckets.size() && buckets[at].last_step < over.first_step) ++at;
  if (at >= buckets.size()) return {};
  const double value = buckets[at].min;
  for (std::size_t i = at; i < buckets.size() && buckets[i].first_step <= over.last_step; ++i) {
    if (buckets[i].min != value || buckets[i].max != value) return {};
  }
  return value;
}

}  // namespace

std::vector<std::string> step_time_series() {
  return {names::kStepTime, names::kLocalBatchSize, names::kAccumulation};
}

std::vector<StepTime> measure_step_times(std::span<const GenerationSteps> generations,
                                         const ReadBuckets& read, const protocol::Model& model) {
  struct Measured {
    std::int64_t steps = 0;
    std::vector<double> seconds;
  };
  std::map<std::tuple<int, std::int64_t, int>, Measured> found;
  for (const GenerationSteps& generation : generations) {
    if (generation.first_step == 0 || generation.last_step == 0) continue;
    const std::vector<Bucket> locals = read(names::kLocalBatchSize, generation);
    const std::vector<Bucket> accumulations = read(names::kAccumulation, generation);
    std::size_t local = 0, accumulation = 0;
    for (const Bucket& bucket : read(names::kStepTime, generation)) {
      if (bucket.first_step <= generation.first_step || !(bucket.mean > 0)) continue;
      const auto size = constant(locals, local, bucket);
      const auto extra = constant(accumulations, accumulation, bucket);
      if (!size || !extra || !(*size >= 1 && *size <= kMost) || !(*extra >= 0 && *extra <= kMost)) continue;
      Measured& at = found[{generation.replicas, std::llround(*size), static_cast<int>(*extra)}];
      at.steps += bucket.count;
      at.seconds.push_back(bucket.mean);
    }
  }
  // A run whose devices nobody recorded has had as many as it had replicas.
  protocol::Model known = model;
  for (const GenerationSteps& generation : generations)
    known.max_profiled_replicas = std::max(known.max_profiled_replicas, generation.replicas);
  const goodput::GoodputFunction function = goodput_function(known);
  std::vector<StepTime> times;
  for (auto& [configuration, measured] : found) {
    const auto [replicas, local, accumulation] = configuration;
    const auto middle = measured.seconds.begin() + static_cast<std::ptrdiff_t>(measured.seconds.size() / 2);
    std::nth_element(measured.seconds.begin(), middle, measured.seconds.end());
    const double throughput = function.throughput({1, replicas, local, accumulation});
    if (!(throughput > 0)) continue;
    const auto batch = static_cast<double>(replicas * local * (accumulation + 1));
    times.push_back({replicas, local, accumulation, measured.steps, *middle, batch / throughput});
  }
  return times;
}

std::vector<StepTime> measure_step_times(const std::vector<storage::Generation>& generations,
                                         storage::SampleReader& samples, const protocol::Model& model) {
  std::vector<GenerationSteps> steps;
  for (const storage::Generation& generation : generations)
    steps.push_back({generation.number, generation.replicas, generation.first_step,
                     generation.ended > 0 ? generation.last_step : std::numeric_limits<std::int64_t>::max()});
  const ReadBuckets read = [&](const std::string& series, const GenerationSteps& generation) {
    return samples.summarize(series, generation.number, generation.first_step, generation.last_step,
                             kStepTimeColumns);
  };
  return measure_step_times(steps, read, model);
}

double mean_error(std::span<const StepTime> times) {
  double sum = 0, steps = 0;
  for (const StepTime& time : times) {
    sum += std::abs(time.residual()) * static_cast<double>(time.steps);
    steps += static_cast<double>(time.steps);
  }
  return steps > 0 ? sum / steps : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace batchscope::run
