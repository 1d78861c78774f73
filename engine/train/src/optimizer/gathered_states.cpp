// SPDX-License-Identifier: Apache-2.0
//
// One owner after the other sends its states as they would lie in a checkpoint: their size, then their bytes.
#include "optimizer/gathered_states.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
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

// What the owner has, everywhere.
std::string broadcast(std::string bytes, int owner, at::Device device) {
  const at::Tensor size = at::full({1}, static_cast<std::int64_t>(bytes.size()), at::kLong).to(device);
  tensor_group()->broadcast(size, owner).wait();
  bytes.resize(static_cast<std::size_t>(size.item<std::int64_t>()));
  const at::Tensor here = at::from_blob(bytes.data(), {static_cast<std::int64_t>(bytes.size())}, at::kByte);
  const at::Tensor there = here.to(device);
  tensor_group()->broadcast(there, owner).wait();
  if (!there.is_same(here)) here.copy_(there);
  return bytes;
}

}  // namespace

void gather_states(torch::optim::Optimizer& optimizer) {
  if (!dynamic_cast<ShardedOptimizer*>(&optimizer) || num_replicas() == 1) return;
  const c10::NoGradGuard no_grad;
  const at::Device device = optimizer.param_groups().front().params().front().device();
  for (int owner = 1; owner < num_replicas(); ++owner) {
    const std::string mine = replica_rank() == owner ? own_states(optimizer) : std::string();
    std::istringstream in(broadcast(mine, owner, device));
    if (replica_rank() != 0) continue;
    TensorReader file(in, "the optimizer's states on replica " + std::to_string(owner));
    load_states(optimizer, file, [](const at::Tensor&) { return true; });
  }
}

void drop_gathered(torch::optim::Optimizer& optimizer) {
  if (auto* sharded = dynamic_cast<ShardedOptimizer*>(&optimizer)) sharded->drop_others();
}

}  // namespace batchscope::train
