// SPDX-License-Identifier: Apache-2.0
//
// One owner after the other sends its states as they would lie in a checkpoint.
#include "optimizer/gathered_states.h"

#include <c10/core/GradMode.h>

#include <sstream>
#include <string>

#include "batchscope/replica/process_group.h"
#include "batchscope/train/sharded_optimizer.h"
#include "device/tensor_group.h"
#include "optimizer/optimizer_state.h"
#include "tensor/tensor_file.h"

namespace batchscope::train {
namespace {

// This replica's, where it is the owner.
std::string own_states(const torch::optim::Optimizer& optimizer) {
  TensorWriter file;
  save_states(optimizer, file);
  std::ostringstream out;
  file.write(out);
  return std::move(out).str();
}

}  // namespace

void gather_states(torch::optim::Optimizer& optimizer) {
  if (!dynamic_cast<ShardedOptimizer*>(&optimizer) || num_replicas() == 1) return;
  const c10::NoGradGuard no_grad;
  const at::Device device = optimizer.param_groups().front().params().front().device();
  for (int owner = 1; owner < num_replicas(); ++owner) {
    const std::string mine = replica_rank() == owner ? own_states(optimizer) : std::string();
    std::istringstream in(broadcast_bytes(mine, owner, device));
    if (replica_rank() != 0) continue;
    TensorReader file(in, "the optimizer's states on replica " + std::to_string(owner));
    load_states(optimizer, file, [](const at::Tensor&) { return true; });
  }
}

void drop_gathered(torch::optim::Optimizer& optimizer) {
  if (auto* sharded = dynamic_cast<ShardedOptimizer*>(&optimizer)) sharded->drop_others();
}

}  // namespace batchscope::train
