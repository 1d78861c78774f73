// SPDX-License-Identifier: Apache-2.0
//
// Preconditions that both ways to fill the knapsack share.
#pragma once

#include "batchscope/policy/knapsack.h"

namespace batchscope::policy {

// Throws std::invalid_argument.
void check_options(std::span<const Options> jobs, std::span<const int> capacity);

}  // namespace batchscope::policy
