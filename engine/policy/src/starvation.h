// SPDX-License-Identifier: Apache-2.0
//
// Nobody starves: of J jobs on N devices each has devices at least once in any ceil(J / N) + 1 decisions in a
// row, whatever the objective thinks of it. Each job so has a last decision at which it must be served, and
// as in earliest-deadline-first scheduling it is enough to serve, at each decision, as many of those who must
// be soonest as could otherwise not all be served in time:
//
//     now(t) = jobs that must be served within t further decisions - t * N          for each t >= 0
//
// A round of ceil(J / N) decisions could serve all; the one more leaves the objective its freedom.
#pragma once

#include <span>
#include <vector>

#include "batchscope/policy/job.h"
#include "batchscope/policy/knapsack.h"

namespace batchscope::policy {

// Returns for each job, in their order, whether it must have devices now: never more than can have their
// least number at once. `options` has the devices that each job can have, from the fewest of a kind on; a job
// without any does not count. `capacity` has the devices of each kind.
std::vector<bool> must_be_served(std::span<const Job> jobs, std::span<const Options> options,
                                 std::span<const int> capacity);

}  // namespace batchscope::policy
