// SPDX-License-Identifier: Apache-2.0
/// \file
/// Series that are computed from recorded ones: the time of a step without synchronisation, the learning rate
/// without the scaling rule's factor, how sure efficiency and goodput are, and the factor that a rule would
/// have given on the recorded statistics, so that rules can be compared on a run that trained with one of
/// them.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "batchscope/storage/samples.h"

namespace batchscope::common {

/// A step's own number, as if it had been recorded.
inline constexpr char kStepSeries[] = "step";

/// A series that is computed.
struct DerivedSeries {
  std::vector<std::string> inputs;                       ///< recorded series; the first gives the steps
  std::function<double(std::span<const double>)> value;  ///< at one step, from the inputs in their order
};

/// Returns all series that are computed, by name.
const std::map<std::string, DerivedSeries>& allDerivedSeries();

/// Returns how a series is computed; null where the name is that of a recorded series.
const DerivedSeries* derivedSeries(const std::string& name);

/// Returns the names of the series that are computed from these recorded ones alone, in alphabetical order.
std::vector<std::string> derivedFrom(const std::vector<std::string>& recorded);

/// Computes a series' buckets from those of its inputs, in their order and over the same steps. Single
/// samples are exact. In a wider bucket min and max follow the first input's, with the means of the others.
std::vector<storage::Bucket> derivedBuckets(const DerivedSeries& derived,
                                            std::span<const std::vector<storage::Bucket>> inputs);

/// Returns the buckets of kStepSeries, from those of a series that is recorded at every step.
std::vector<storage::Bucket> stepBuckets(std::span<const storage::Bucket> recorded);

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
