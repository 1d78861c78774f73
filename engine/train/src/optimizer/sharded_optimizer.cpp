// SPDX-License-Identifier: Apache-2.0
//
// Owners are chosen as FairScale chooses them, the largest parameters first, each for the replica that has
// least so far: every replica finds the same. What a replica owns lies in one tensor (of a type and device),
// so that an exchange is one broadcast from each replica, without a copy.
#include "batchscope/train/sharded_optimizer.h"

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <torch/optim/lbfgs.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/replica/process_group.h"
#include "device/tensor_group.h"
#include "tensor/parameter_key.h"

namespace batchscope {

using namespace train;

// The parameters of one owner, end to end.
struct ShardedOptimizer::Flat {
  int owner = 0;
  at::Tensor values = {};
  std::vector<at::Tensor> parameters = {};
};

ShardedOptimizer::ShardedOptimizer(std::unique_ptr<torch::optim::Optimizer> optimizer)
    : Optimizer(optimizer->param_groups(), optimizer->defaults().clone()),
      optimizer_(std::move(optimizer)),
      bytes_(static_cast<std::size_t>(num_replicas())) {
  if (dynamic_cast<const torch::optim::LBFGS*>(optimizer_.get()))
    throw Error(
        ErrorKind::usage,
        "ShardedOptimizer: LBFGS steps all parameters at once and cannot be shared out; use SGD, Adam, "
        "AdamW, RMSprop, Adagrad or Adadelta");
  share_out();
}

ShardedOptimizer::~ShardedOptimizer() = default;

// Shares out the groups, also those that were added since.
void ShardedOptimizer::share_out() {
  for (std::size_t g = owners_.size(); g < param_groups().size(); ++g) {
    const std::vector<at::Tensor>& parameters = param_groups()[g].params();
    std::vector<std::size_t> order(parameters.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto size = [&](std::size_t i) { return static_cast<std::int64_t>(parameters[i].nbytes()); };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return size(a) > size(b); });
    std::vector<int>& owners = owners_.emplace_back(parameters.size());
    for (const std::size_t i : order) {
      const auto least = std::min_element(bytes_.begin(), bytes_.end());
      *least += size(i);
      owners[i] = static_cast<int>(least - bytes_.begin());
    }
    std::vector<at::Tensor> own;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (owners[i] == replica_rank()) own.push_back(parameters[i]);
    if (g == optimizer_->param_groups().size()) optimizer_->add_param_group(param_groups()[g]);
    optimizer_->param_groups()[g].params() = std::move(own);
  }
  drop_others();
  if (bytes_.size() > 1) flatten();
}

void ShardedOptimizer::flatten() {
  const c10::NoGradGuard no_grad;
  flats_.clear();
  for (std::size_t g = 0; g < owners_.size(); ++g) {
    for (std::size_t i = 0; i < owners_[g].size(); ++i) {
      const at::Tensor& parameter = param_groups()[g].params()[i];
      if (!parameter.is_non_overlapping_and_dense())
        throw Error(ErrorKind::usage,
                    "ShardedOptimizer: a parameter has strides that overlap or leave gaps; make "
                    "it contiguous first");
      const auto fits = [&](const Flat& flat) {
        const at::Tensor& first = flat.parameters.front();
        return flat.owner == owners_[g][i] && first.dtype() == parameter.dtype() &&
               first.device() == parameter.device();
      };
      auto flat = std::find_if(flats_.begin(), flats_.end(), fits);
      if (flat == flats_.end()) flat = flats_.insert(flats_.end(), Flat{owners_[g][i]});
      flat->parameters.push_back(parameter);
    }
  }
  for (Flat& flat : flats_) {
    std::int64_t count = 0, at = 0;
    for (const at::Tensor& parameter : flat.parameters) count += parameter.numel();
    flat.values = at::empty({count}, flat.parameters.front().options().requires_grad(false));
    for (at::Tensor& parameter : flat.parameters) {
      const at::Tensor view = flat.values.as_strided(parameter.sizes(), parameter.strides(), at);
      view.copy_(parameter);
      at += parameter.numel();
      parameter.set_data(view);
    }
  }
}

// Whether the module has not been moved or given other values since.
bool ShardedOptimizer::is_flat() const {
  return std::all_of(flats_.begin(), flats_.end(), [](const Flat& flat) {
    return std::all_of(flat.parameters.begin(), flat.parameters.end(), [&](const at::Tensor& parameter) {
      return parameter.storage().is_alias_of(flat.values.storage());
    });
  });
}

at::Tensor ShardedOptimizer::step(LossClosure closure) {
  at::Tensor loss;
  if (closure) {
    const c10::AutoGradMode with_gradients(true);
    loss = closure();
  }
  if (owners_.size() < param_groups().size()) share_out();
  if (!is_flat()) flatten();
  for (std::size_t g = 0; g < owners_.size(); ++g)
    optimizer_->param_groups()[g].set_options(param_groups()[g].options().clone());
  optimizer_->step();
  exchange();
  return loss;
}

void ShardedOptimizer::exchange() {
  const c10::NoGradGuard no_grad;
  std::vector<TensorGroup::Pending> pending;
  for (const Flat& flat : flats_) pending.push_back(tensor_group()->broadcast(flat.values, flat.owner));
  for (TensorGroup::Pending& one : pending) one.wait();
}

bool ShardedOptimizer::owns(const at::Tensor& parameter) const {
  for (const torch::optim::OptimizerParamGroup& group : optimizer_->param_groups())
    for (const at::Tensor& own : group.params())
      if (own.is_same(parameter)) return true;
  return false;
}

const torch::optim::Optimizer& ShardedOptimizer::unwrap(const torch::optim::Optimizer& optimizer) {
  const auto* sharded = dynamic_cast<const ShardedOptimizer*>(&optimizer);
  return sharded ? *sharded->optimizer_ : optimizer;
}

torch::optim::Optimizer& ShardedOptimizer::unwrap(torch::optim::Optimizer& optimizer) {
  return const_cast<torch::optim::Optimizer&>(unwrap(std::as_const(optimizer)));
}

void ShardedOptimizer::drop_others() {
  for (std::size_t g = 0; g < owners_.size(); ++g)
    for (std::size_t i = 0; i < owners_[g].size(); ++i)
      if (owners_[g][i] != replica_rank())
        optimizer_->state().erase(parameter_key(param_groups()[g].params()[i]));
}

}  // namespace batchscope
