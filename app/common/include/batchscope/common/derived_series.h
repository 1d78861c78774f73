// SPDX-License-Identifier: Apache-2.0
/// \file
/// Series that are computed from recorded ones: the time of a step without synchronisation, the learning rate
/// without the scaling rule's factor, how sure efficiency and goodput are, and the factor that a rule would
/// have given on the recorded statistics, so that rules can be compared on a run that trained with one of
/// them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace batchscope::common {

/// A step's own number, as if it had been recorded.
inline constexpr char kStepSeries[] = "step";

/// A series that is computed.
struct DerivedSeries {
  std::vector<std::string> inputs;                       ///< recorded series; the first gives the steps
  std::function<double(std::span<const double>)> value;  ///< at one step, from the inputs in their order
  /// "minus" where the second input is subtracted from the first, "over" where it divides it; else empty.
  std::string operation = {};
};

/// Returns how a series is computed; empty where the name is that of a recorded series.
std::optional<DerivedSeries> derivedSeries(const std::string& name);

inline constexpr char kComputeTime[] = "step_time-sync_time";  ///< a step without synchronisation
inline constexpr char kScheduledRate[] = "lr/lr_factor";       ///< the learning rate without its factor

// The ends of the intervals in which nine of ten true values are, as those of the recorded gain.
inline constexpr char kEfficiencyLow[] = "efficiency:low";    ///< lower end
inline constexpr char kEfficiencyHigh[] = "efficiency:high";  ///< upper end
inline constexpr char kGoodputLow[] = "goodput:low";          ///< lower end, samples/s
inline constexpr char kGoodputHigh[] = "goodput:high";        ///< upper end, samples/s

// The rules that can be replayed.
inline constexpr char kAdaScaleFactor[] = "factor:adascale";    ///< AdaScale
inline constexpr char kAdamScaleFactor[] = "factor:adamscale";  ///< AdamScale
inline constexpr char kLinearFactor[] = "factor:linear";        ///< linear
inline constexpr char kSqrtFactor[] = "factor:sqrt";            ///< the square root
inline constexpr char kLegwFactor[] =
    "factor:legw";  ///< LEGW with a warm-up of one epoch at the initial batch size

}  // namespace batchscope::common
