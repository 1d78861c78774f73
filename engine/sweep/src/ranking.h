// SPDX-License-Identifier: Apache-2.0
//
// Which trial did better: one that diverged is worse than all others, one that came further is better than
// one that did not (it was let go further because it was good), of those that came as far the one of the
// lower cost.
#pragma once

#include <span>
#include <vector>

#include "batchscope/sweep/trial.h"

namespace batchscope::sweep {

// Those that have a cost, the best first; of equals the earlier one.
std::vector<const Trial*> ranked(std::span<const Trial> trials);

}  // namespace batchscope::sweep
