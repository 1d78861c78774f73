// SPDX-License-Identifier: Apache-2.0
/// \file
/// Measures how fast a run trains, by its newest steps: the window and the command line call this its goodput
/// "now". Single steps scatter, so it is
///
///     throughput   samples / step times, of the middle 80 % of the newest steps by their times
///     step time    batch size / throughput
///     goodput      throughput * mean efficiency of these steps
///
/// where the last step of a pass over the data counts the samples that were left for it.
///
/// over the newest steps of one generation and one batch size, until they make ten seconds and twenty steps,
/// or a thousand steps. The first step of a generation, which warms caches, is left out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batchscope/run/step_times.h"

namespace batchscope::run {

/// A step as it was recorded, or a few of them together.
struct MeasuredStep {
  double seconds = 0;     ///< step time
  double batch_size = 0;  ///< samples, all replicas
  double efficiency = 0;  ///< statistical, 0..1; NaN: not known
  double samples = 0;  ///< that it was made of, at most batch_size; 0 or NaN: not known, and so all of these
};

/// Mean rates of the newest steps.
struct MeasuredRate {
  std::int64_t steps = 0;  ///< that it is of
  double seconds = 0;      ///< s, that these took
  double batch_size = 0;   ///< samples, all replicas
  double step_time = 0;    ///< s, of a full step
  double throughput = 0;   ///< samples/s
  double efficiency = 0;   ///< statistical, 0..1; NaN: not known
  double goodput = 0;      ///< samples/s; NaN where efficiency is
};

/// The newest steps that count, at most.
inline constexpr std::int64_t kMeasuredSteps = 1000;
/// Seconds of training beyond which older steps are left out, where there are enough after them.
inline constexpr double kMeasuredSeconds = 10;
/// The number of steps after which older ones beyond kMeasuredSeconds are left out.
inline constexpr std::int64_t kEnoughSteps = 20;
/// The fewest steps from which a rate is measured.
inline constexpr std::size_t kLeastMeasuredSteps = 5;

/// Measures steps in their order, the newest last; empty where there are too few.
std::optional<MeasuredRate> measured_rate(std::span<const MeasuredStep> steps);

/// The series that the following read.
std::vector<std::string> measured_rate_series();

/// Measures the newest steps of a generation. Throws what `read` does, which gives buckets of one step each
/// where it is asked for a thousand steps.
std::optional<MeasuredRate> measured_rate(const GenerationSteps& generation, const ReadBuckets& read);

/// Measures the newest generation that has samples. Throws as SampleReader::summarize does.
std::optional<MeasuredRate> measured_rate(const std::vector<storage::Generation>& generations,
                                          storage::SampleReader& samples);

}  // namespace batchscope::run
