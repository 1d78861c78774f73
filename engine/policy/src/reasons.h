// SPDX-License-Identifier: Apache-2.0
//
// A decision in words: what a job has, what one device more would bring it, and who has that device instead.
#pragma once

#include <span>

#include "batchscope/policy/allocation.h"
#include "batchscope/policy/job.h"
#include "batchscope/policy/objective.h"

namespace batchscope::policy {

// Fills in the alternatives and reasons of what has been decided.
void explain(Decision& decision, std::span<const Job> jobs, const Cluster& cluster, const Costs& costs,
             std::span<const int> most);

}  // namespace batchscope::policy
