// SPDX-License-Identifier: Apache-2.0
//
// A decision in words, which name no other job: they are read when that one may have ended. What one device
// more or less would bring is in the alternatives.
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
