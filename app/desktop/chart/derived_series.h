// SPDX-License-Identifier: GPL-3.0-or-later
//
// Series that are computed from recorded ones: the time of a step without synchronisation, the learning rate
// without the scaling rule's factor, and the factor that a rule would have given on the recorded statistics,
// so that rules can be compared on a run that trained with one of them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace batchscope::desktop {

struct DerivedSeries {
  std::vector<std::string> inputs;                       // recorded series; the first gives the steps
  std::function<double(std::span<const double>)> value;  // of one step, from the inputs in their order
};

// Empty where the name is that of a recorded series.
std::optional<DerivedSeries> derivedSeries(const std::string& name);

inline constexpr char kComputeTime[] = "step_time-sync_time";
inline constexpr char kScheduledRate[] = "lr/lr_factor";

// The names of the rules that can be replayed.
inline constexpr char kAdaScaleFactor[] = "factor:adascale";
inline constexpr char kAdamScaleFactor[] = "factor:adamscale";
inline constexpr char kLinearFactor[] = "factor:linear";
inline constexpr char kSqrtFactor[] = "factor:sqrt";
inline constexpr char kLegwFactor[] = "factor:legw";  // with a warm-up of one epoch at the initial batch size

}  // namespace batchscope::desktop
