// SPDX-License-Identifier: Apache-2.0
/// \file
/// Who gets which devices: numbers by the knapsack (knapsack.h) of an objective's costs (objective.h),
/// devices by keeping what need not move. Rules that no objective overrules:
///
///     A job that is not preemptible and has devices keeps them.
///     No job gets more than twice the largest number that it has profiled (one, before the first), or its
///     least number where that is more: its model has never seen what lies beyond.
///     No job gets fewer than its least number, but for none at all; then it waits.
///     Of J jobs on N devices each has some at least once in any ceil(J / N) + 1 decisions in a row, as long
///     as jobs and devices stay and a least number of at most one lets them take turns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "batchscope/policy/cluster.h"
#include "batchscope/policy/job.h"
#include "batchscope/policy/objective.h"

namespace batchscope::policy {

/// Another number of devices that a job might have had.
struct Alternative {
  int devices = 0;     ///< so many
  double speedup = 0;  ///< goodput over that of the number decided, minus 1; -1: it would wait
};

/// Why a job has what it has.
enum class Why {
  fixed,      ///< it is not preemptible
  turn,       ///< it had waited as long as one may
  worth,      ///< the objective
  waits,      ///< the objective, and it has nothing
  impossible  ///< it cannot have devices: its model or its least number does not allow for any there are
};

/// What a job gets.
struct Allocation {
  Placement placement;                    ///< empty: none
  Why why = Why::waits;                   ///< which rule gave it these
  bool changed = false;                   ///< its present placement is another
  std::vector<Alternative> alternatives;  ///< one device fewer and one more, where it may have them
  std::string reason;                     ///< a sentence for a person
};

/// What was decided.
struct Decision {
  std::vector<Allocation> jobs;  ///< in the order of the jobs
  double cost = 0;               ///< sum of the objective's costs, as placed, but for fixed jobs
  /// The least sum of costs, before placing, were there 0, 1, .. devices beside those of fixed jobs: what a
  /// device is worth. Infinite where turns could not be kept. Empty for several kinds of device.
  std::vector<double> curve;
};

/// Decides, in about 0.2 ms for 16 jobs on 64 devices. Asks each job's goodput for the counts it may have.
/// Pure: the same jobs and devices give the same decision. Throws std::invalid_argument for a job whose
/// limits contradict one another, or a placement on devices that are not there or somebody else's.
Decision decide(std::span<const Job> jobs, const Cluster& cluster, Objective objective);

}  // namespace batchscope::policy
