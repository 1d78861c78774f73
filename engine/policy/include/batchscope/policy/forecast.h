// SPDX-License-Identifier: Apache-2.0
/// \file
/// When each job will end if nothing else comes: decisions (decision.h) one after the other, one at each end
/// of a job. In between a job learns at its goodput, and a change of its devices costs it its pause:
///
///     end = now + pause + remaining / goodput(devices decided)
///
/// A job never has more than twice the replicas that its model has measured, as in decide(): what it could do
/// on more is not known. A job of unknown goodput or unknown remaining work takes part, and never ends. Where
/// such jobs leave nothing to all others, these learn as much as they do on average while everybody takes
/// turns.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "batchscope/policy/cluster.h"
#include "batchscope/policy/job.h"
#include "batchscope/policy/objective.h"

namespace batchscope::policy {

/// Seconds from now until each job ends, in their order; none: nobody knows. In as many decisions as jobs
/// end, but in turns as many for each as let everybody have devices once. Throws as decide() does.
std::vector<std::optional<double>> forecast(std::span<const Job> jobs, const Cluster& cluster,
                                            Objective objective);

/// The job as a forecast takes it: as though it had never been moved.
Job unmoved(Job job);

}  // namespace batchscope::policy
