// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which job gets which devices, and what a workload would have taken under a policy: without Qt, LibTorch, a
/// clock or chance. Times are in seconds.
///
///     using namespace batchscope::policy;
///     const Cluster cluster = uniform_cluster(/*nodes=*/1, /*devices=*/4);
///     std::vector<Job> jobs(2);
///     jobs[0] = {.name = "a", .goodput = speedup_of_a, .max_replicas = 4, .max_profiled = 2};
///     jobs[1] = {.name = "b", .goodput = speedup_of_b, .max_replicas = 4, .max_profiled = 2};
///     for (const Allocation& allocation : decide(jobs, cluster, Objective::fair).jobs)
///       std::cout << replicas(allocation.placement) << ": " << allocation.reason << "\n";
#pragma once

#include "batchscope/policy/allocation.h"
#include "batchscope/policy/cluster.h"
#include "batchscope/policy/decision.h"
#include "batchscope/policy/forecast.h"
#include "batchscope/policy/job.h"
#include "batchscope/policy/knapsack.h"
#include "batchscope/policy/moves.h"
#include "batchscope/policy/objective.h"
#include "batchscope/policy/prices.h"
#include "batchscope/policy/profile.h"
#include "batchscope/policy/simulation.h"
#include "batchscope/policy/workload.h"

/// Allocation of devices to jobs; see policy.h. Nothing here blocks.
namespace batchscope::policy {}
