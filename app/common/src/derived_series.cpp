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

// Of efficiency or goodput, the end of the gain's interval, gain: each is as uncertain as the gain.
double atEnd(Values v) { return v[2] > 0 ? v[0] * v[1] / v[2] : kNothing; }

// progress, epoch, scale. What LEGW needs of the data set is how many initial batches a pass has; the
// recorded progress and epoch say it as their ratio, and the batches are counted in thousandths here.
double legwFactor(Values v) {
  constexpr double kInitial = 1000, kWarmupEpochs = 1;
  if (!(v[1] > 0) || !(v[2] > 0)) return kNothing;
  return goodput::legw_factor(v[2], kWarmupEpochs, std::llround(kInitial * v[0] / v[1]),
                              std::max<std::int64_t>(1, std::llround(kInitial * v[2])), v[0]);
}

}  // namespace

std::optional<DerivedSeries> derivedSeries(const std::string& name) {
  const std::vector<std::string> noise{names::kGradVar, names::kGradSqr, names::kScale};
  if (name == kAdaScaleFactor) return DerivedSeries{noise, noiseFactor<goodput::adascale_factors>};
  if (name == kAdamScaleFactor) return DerivedSeries{noise, noiseFactor<goodput::adamscale_factors>};
  if (name == kLinearFactor)
    return DerivedSeries{{names::kScale}, [](Values v) { return goodput::linear_factor(v[0]); }};
  if (name == kSqrtFactor)
    return DerivedSeries{{names::kScale}, [](Values v) { return goodput::sqrt_factor(v[0]); }};
  if (name == kLegwFactor) return DerivedSeries{{names::kProgress, names::kEpoch, names::kScale}, legwFactor};
  if (name == kEfficiencyLow)
    return DerivedSeries{{names::kEfficiency, names::kGainLow, names::kGain}, atEnd};
  if (name == kEfficiencyHigh)
    return DerivedSeries{{names::kEfficiency, names::kGainHigh, names::kGain}, atEnd};
  if (name == kGoodputLow) return DerivedSeries{{names::kGoodput, names::kGainLow, names::kGain}, atEnd};
  if (name == kGoodputHigh) return DerivedSeries{{names::kGoodput, names::kGainHigh, names::kGain}, atEnd};
  if (name == kComputeTime)
    return DerivedSeries{{names::kStepTime, names::kSyncTime}, [](Values v) { return v[0] - v[1]; }, "minus"};
  if (name == kScheduledRate)
    return DerivedSeries{{names::kLearningRate, names::kLearningRateFactor},
                         [](Values v) {
                           return v[1] > 0 && v[0] > 0 ? v[0] / v[1] : kNothing;  // 0: the step was skipped
                         },
                         "over"};
  return {};
}

}  // namespace batchscope::common
