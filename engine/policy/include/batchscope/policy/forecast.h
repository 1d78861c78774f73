// SPDX-License-Identifier: Apache-2.0
/// \file
/// Predicts when each job will end if no other job comes: by one decision (decision.h) after the other, one
/// at the end of each job. In between a job learns at its goodput, and a change of its devices costs it its
/// pause:
///
///     end = now + pause + remaining / goodput(devices decided)
///
/// A job never has more than twice the replicas that its model has measured, as in decide(): its speed on
/// more is not known. A job of unknown goodput or unknown remaining work takes part, and never ends. Where
/// such jobs leave no devices to the others, the others learn at the rate that they reach on average while
/// all jobs take turns.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "batchscope/policy/cluster.h"
#include "batchscope/policy/job.h"
#include "batchscope/policy/objective.h"

namespace batchscope::policy {

/// Returns the seconds from now until each job ends, in the order of the jobs; none: not known. Makes a
/// decision for each job that ends, and, while jobs take turns, as many as let each have devices once. Throws
/// as decide() does.
std::vector<std::optional<double>> forecast(std::span<const Job> jobs, const Cluster& cluster,
                                            Objective objective);

/// Returns the job as a forecast takes it: as though it had never been moved.
Job unmoved(Job job);

}  // namespace batchscope::policy
