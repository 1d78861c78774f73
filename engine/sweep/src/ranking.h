// SPDX-License-Identifier: Apache-2.0
//
// The order of trials: one that diverged is worse than all others, one that came further is better than one
// that did not (it was let go further because it was good), and of those that came as far the one of the
// lower cost is better.
#pragma once

#include <span>
#include <vector>

#include "batchscope/sweep/trial.h"

namespace batchscope::sweep {

// Returns the trials that have a cost, the best first; of equals the earlier one.
std::vector<const Trial*> ranked(std::span<const Trial> trials);

}  // namespace batchscope::sweep
