// SPDX-License-Identifier: Apache-2.0
//
// What both ways to fill the knapsack ask of what they are given.
#pragma once

#include "batchscope/policy/knapsack.h"

namespace batchscope::policy {

// Throws std::invalid_argument.
void check_options(std::span<const Options> jobs, std::span<const int> capacity);

}  // namespace batchscope::policy
