// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/derived_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "batchscope/goodput/scaling_rule.h"
#include "batchscope/protocol/series.h"

namespace batchscope::common {
namespace {

namespace names = protocol::series;
using Values = std::span<const double>;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// grad_var, grad_sqr, scale
template <auto Factors>
double noiseFactor(Values v) {
  return Factors(v.subspan(1, 1), v.subspan(0, 1), v[2]).front();
}

// Takes efficiency or goodput, an end of the gain's interval, and the gain: each is as uncertain as the gain.
double atEnd(Values v) { return v[2] > 0 ? v[0] * v[1] / v[2] : kNothing; }

// progress, epoch, scale. What LEGW needs of the data set is how many initial batches a pass has; the
// recorded progress and epoch say it as their ratio, and the batches are counted in thousandths here.
double legwFactor(Values v) {
  constexpr double kInitial = 1000, kWarmupEpochs = 1;
  if (!(v[1] > 0) || !(v[2] > 0)) return kNothing;
  return goodput::legw_factor(v[2], kWarmupEpochs, std::llround(kInitial * v[0] / v[1]),
                              std::max<std::int64_t>(1, std::llround(kInitial * v[2])), v[0]);
}

std::map<std::string, DerivedSeries> makeAll() {
  const std::vector<std::string> noise{names::kGradVar, names::kGradSqr, names::kScale};
  return {{kAdaScaleFactor, {noise, noiseFactor<goodput::adascale_factors>}},
          {kAdamScaleFactor, {noise, noiseFactor<goodput::adamscale_factors>}},
          {kLinearFactor, {{names::kScale}, [](Values v) { return goodput::linear_factor(v[0]); }}},
          {kSqrtFactor, {{names::kScale}, [](Values v) { return goodput::sqrt_factor(v[0]); }}},
          {kLegwFactor, {{names::kProgress, names::kEpoch, names::kScale}, legwFactor}},
          {kEfficiencyLow, {{names::kEfficiency, names::kGainLow, names::kGain}, atEnd}},
          {kEfficiencyHigh, {{names::kEfficiency, names::kGainHigh, names::kGain}, atEnd}},
          {kGoodputLow, {{names::kGoodput, names::kGainLow, names::kGain}, atEnd}},
          {kGoodputHigh, {{names::kGoodput, names::kGainHigh, names::kGain}, atEnd}},
          {kComputeTime, {{names::kStepTime, names::kSyncTime}, [](Values v) { return v[0] - v[1]; }}},
          {kScheduledRate, {{names::kLearningRate, names::kLearningRateFactor}, [](Values v) {
                              return v[1] > 0 && v[0] > 0 ? v[0] / v[1]
                                                          : kNothing;  // 0: the step was skipped
                            }}}};
}

}  // namespace

const std::map<std::string, DerivedSeries>& allDerivedSeries() {
  static const std::map<std::string, DerivedSeries> all = makeAll();
  return all;
}

const DerivedSeries* derivedSeries(const std::string& name) {
  const auto found = allDerivedSeries().find(name);
  return found == allDerivedSeries().end() ? nullptr : &found->second;
}

std::vector<std::string> derivedFrom(const std::vector<std::string>& recorded) {
  std::vector<std::string> derivable;
  for (const auto& [name, derived] : allDerivedSeries())
    if (std::ranges::all_of(derived.inputs, [&](const std::string& input) {
          return std::ranges::find(recorded, input) != recorded.end();
        }))
      derivable.push_back(name);
  return derivable;
}

std::vector<storage::Bucket> derivedBuckets(const DerivedSeries& derived,
                                            std::span<const std::vector<storage::Bucket>> inputs) {
  std::vector<storage::Bucket> result;
  std::vector<std::size_t> at(inputs.size(), 0);
  std::vector<double> values(inputs.size());
  const auto evaluate = [&](double first) {
    values[0] = first;
    return derived.value(values);
  };
  for (storage::Bucket bucket : inputs.front()) {
    const std::int64_t middle = bucket.first_step + (bucket.last_step - bucket.first_step) / 2;
    bool isWhole = true;
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      while (at[i] < inputs[i].size() && inputs[i][at[i]].last_step < middle) ++at[i];
      isWhole = isWhole && at[i] < inputs[i].size() && inputs[i][at[i]].first_step <= middle;
      if (isWhole) values[i] = inputs[i][at[i]].mean;
    }
    if (!isWhole) continue;
    const double low = evaluate(bucket.min), high = evaluate(bucket.max);
    bucket.mean = evaluate(bucket.mean);
    bucket.min = std::fmin(low, high);
    bucket.max = std::fmax(low, high);
    result.push_back(bucket);
  }
  return result;
}

std::vector<storage::Bucket> stepBuckets(std::span<const storage::Bucket> recorded) {
  std::vector<storage::Bucket> steps;
  for (const storage::Bucket& bucket : recorded) {
    const auto first = static_cast<double>(bucket.first_step), last = static_cast<double>(bucket.last_step);
    steps.push_back({bucket.first_step, bucket.last_step, bucket.count, first, last, (first + last) / 2});
  }
  return steps;
}

}  // namespace batchscope::common
