// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses one option for each job so that the devices suffice and the sum of the costs is least: the
/// multiple-choice knapsack, to which every objective of this room leads (objective.h).
///
///     best(j, k) = min over the options o of job j of best(j - 1, k - devices(o)) + cost(o)
///
/// in jobs x options x devices / 2 steps, and with several kinds of device k is a point of their product. The
/// last row has the best value for every number of devices at once: the price curve, and AdaptDL's Pareto
/// front of nodes. Beyond a size the lower convex hull of each job's options is taken step by step, the
/// steepest first, which is exact except for the last devices.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace batchscope::policy {

/// A number of devices that a job may get, with its cost.
struct Option {
  int kind = 0;     ///< of device; without any, 0
  int devices = 0;  ///< at least 0
  double cost = 0;  ///< finite
};

/// The options of a job, at least one.
using Options = std::vector<Option>;

/// The option chosen for each job.
struct Packing {
  bool feasible = false;            ///< false: no choice fits; then nothing else is said
  std::vector<std::size_t> chosen;  ///< index of each job's option
  double cost = 0;                  ///< sum of the options' costs
  /// The least cost with 0, 1, .. devices, infinite where nothing fits; of one kind of device only.
  std::vector<double> curve;
};

/// Returns an exact solution. `capacity` has the devices of each kind. Throws std::invalid_argument for a job
/// without options, a kind beyond the capacities, or costs that are not finite.
Packing pack_exactly(std::span<const Options> jobs, std::span<const int> capacity);

/// Returns a solution along the hulls, in jobs x options x log steps. With several kinds of device a job
/// keeps to the kind of its first step. Throws as pack_exactly does. It may find nothing where jobs must have
/// devices and only another choice among their options would fit.
Packing pack_greedily(std::span<const Options> jobs, std::span<const int> capacity);

/// Returns the steps that pack_exactly would take.
double exact_steps(std::span<const Options> jobs, std::span<const int> capacity);

/// The most steps, about 20 ms, up to which pack() is exact; beyond them it is greedy.
inline constexpr double kMostExactSteps = 3e7;
/// Returns the one solution or the other, by kMostExactSteps.
Packing pack(std::span<const Options> jobs, std::span<const int> capacity);

}  // namespace batchscope::policy
