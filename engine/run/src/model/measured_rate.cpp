// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/measured_rate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "batchscope/protocol/series.h"

namespace batchscope::run {
namespace {

namespace names = protocol::series;

constexpr double kTrimmed = 0.1;  // of the step times, at either end

struct Step {
  double seconds = 0, samples = 0;
};

double middle_throughput(std::vector<Step> steps) {
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.seconds < b.seconds; });
  const auto cut = static_cast<std::ptrdiff_t>(kTrimmed * static_cast<double>(steps.size()));
  Step sum;
  std::for_each(steps.begin() + cut, steps.end() - cut, [&sum](const Step& step) {
    sum.seconds += step.seconds;
    sum.samples += step.samples;
  });
  return sum.samples / sum.seconds;
}

bool is_step(const MeasuredStep& step) {
  return step.seconds > 0 && std::isfinite(step.seconds) && step.batch_size > 0;
}

}  // namespace

std::optional<MeasuredRate> measured_rate(std::span<const MeasuredStep> steps) {
  MeasuredRate rate;
  std::vector<Step> counted;
  double worth = 0, known = 0;  // of the samples whose efficiency is known
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (rate.seconds >= kMeasuredSeconds && rate.steps >= kEnoughSteps) break;
    if (!is_step(*step)) continue;
    if (rate.steps == kMeasuredSteps || (rate.steps > 0 && step->batch_size != rate.batch_size)) break;
    rate.batch_size = step->batch_size;
    rate.seconds += step->seconds;
    ++rate.steps;
    const bool is_short = step->samples > 0 && step->samples < step->batch_size;
    const double samples = is_short ? step->samples : step->batch_size;
    counted.push_back({step->seconds, samples});
    if (!std::isfinite(step->efficiency)) continue;
    worth += step->efficiency * samples;
    known += samples;
  }
  if (counted.size() < kLeastMeasuredSteps) return {};
  rate.throughput = middle_throughput(std::move(counted));
  rate.step_time = rate.batch_size / rate.throughput;
  rate.efficiency = known > 0 ? worth / known : std::numeric_limits<double>::quiet_NaN();
  rate.goodput = rate.throughput * rate.efficiency;
  return rate;
}

std::vector<std::string> measured_rate_series() {
  return {names::kStepTime, names::kBatchSize, names::kEfficiency, names::kThroughput};
}

std::optional<MeasuredRate> measured_rate(const GenerationSteps& generation, const ReadBuckets& read) {
  if (generation.first_step == 0 || generation.last_step <= generation.first_step) return {};
  GenerationSteps newest = generation;
  newest.first_step = std::max(generation.first_step + 1, generation.last_step - kMeasuredSteps + 1);
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  std::map<std::int64_t, MeasuredStep> steps;
  for (const storage::Bucket& bucket : read(names::kStepTime, newest))
    steps[bucket.first_step] = {bucket.mean, kUnknown, kUnknown, kUnknown};
  const auto join = [&](const char* series, double MeasuredStep::*member) {
    for (const storage::Bucket& bucket : read(series, newest))
      if (const auto found = steps.find(bucket.first_step); found != steps.end())
        found->second.*member = bucket.mean;
  };
  join(names::kBatchSize, &MeasuredStep::batch_size);
  join(names::kEfficiency, &MeasuredStep::efficiency);
  join(names::kThroughput,
       &MeasuredStep::samples);  // of the samples of its step, the last of a pass included
  std::vector<MeasuredStep> in_order;
  in_order.reserve(steps.size());
  for (auto& [number, step] : steps) {
    step.samples = std::round(step.samples * step.seconds);
    in_order.push_back(step);
  }
  return measured_rate(in_order);
}

std::optional<MeasuredRate> measured_rate(const std::vector<storage::Generation>& generations,
                                          storage::SampleReader& samples) {
  for (auto generation = generations.rbegin(); generation != generations.rend(); ++generation) {
    if (generation->first_step == 0) continue;
    // The catalogue does not know the last step of a generation that goes on.
    std::int64_t last = generation->last_step;
    if (generation->ended <= 0) {
      const auto all = samples.summarize(names::kStepTime, generation->number, generation->first_step,
                                         std::numeric_limits<std::int64_t>::max(), 1);
      last = all.empty() ? 0 : all.back().last_step;
    }
    const ReadBuckets read = [&](const std::string& series, const GenerationSteps& steps) {
      return samples.summarize(series, steps.number, steps.first_step, steps.last_step, kStepTimeColumns);
    };
    return measured_rate({generation->number, generation->replicas, generation->first_step, last}, read);
  }
  return {};
}

}  // namespace batchscope::run
