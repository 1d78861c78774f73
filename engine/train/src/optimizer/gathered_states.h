// SPDX-License-Identifier: Apache-2.0
//
// A sharded optimizer's states together on rank 0, which writes checkpoints.
#pragma once

namespace torch::optim {
class Optimizer;
}

namespace batchscope::train {

// Rank 0 gets the states that others own; until drop_gathered() it has all of them in memory. Collective.
// Nothing where the optimizer is not sharded.
void gather_states(torch::optim::Optimizer& optimizer);
void drop_gathered(torch::optim::Optimizer& optimizer);

}  // namespace batchscope::train
