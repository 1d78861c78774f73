// SPDX-License-Identifier: Apache-2.0
/// \file
/// An optimizer whose state is shared out among the replicas (ZeRO stage 1, Rajbhandari et al. 2020;
/// FairScale's OSS): each parameter has an owner, which alone keeps its state and steps it, and then hands
/// the others its new values. K replicas need about a K-th of the memory each; the numbers are those of the
/// optimizer alone, because each parameter's step needs nothing of the others'.
///
///     ShardedOptimizer optimizer(std::make_unique<torch::optim::Adam>(model.parameters(), 1e-3));
///     AdaptiveDataParallel adp(model, optimizer);          // outside, so that norms are of whole gradients
///
/// In a checkpoint states lie by parameter, so that another number of replicas shares them anew.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/optim/optimizer.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace batchscope {

/// Around any optimizer that steps each parameter by itself, as LibTorch's do but for LBFGS. Its groups, with
/// their learning rates, are what schedules and scaling rules see. Not thread-safe.
class ShardedOptimizer : public torch::optim::Optimizer {
 public:
  /// Takes the optimizer over, with its groups. After init_process_group, and after the module has been moved
  /// to its device; parameters become views of one tensor for each owner. With one replica all is its own.
  /// Throws Error(usage) for LBFGS, which needs all parameters at once, and for a parameter that overlaps.
  explicit ShardedOptimizer(std::unique_ptr<torch::optim::Optimizer> optimizer);
  ~ShardedOptimizer() override;

  /// Steps what this replica owns and exchanges the parameters; the closure is called once, before.
  /// Collective: blocks on every replica.
  at::Tensor step(LossClosure closure = nullptr) override;

  /// Whether this replica keeps the state of that parameter of its groups.
  bool owns(const at::Tensor& parameter) const;
  /// Returns the optimizer that steps the parameters: an optimizer itself, or the one that a ShardedOptimizer
  /// was made from, which has this replica's share of the parameters and their states.
  ///@{
  static const torch::optim::Optimizer& unwrap(const torch::optim::Optimizer& optimizer);
  static torch::optim::Optimizer& unwrap(torch::optim::Optimizer& optimizer);
  ///@}

  /// Drops the states that others own, which loading or gathering has left here.
  void drop_others();

 private:
  struct Flat;
  void share_out();
  void flatten();
  bool is_flat() const;
  void exchange();

  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::vector<std::vector<int>> owners_;  // of each parameter of each group
  std::vector<std::int64_t> bytes_;       // that each replica owns
  std::vector<Flat> flats_;
};

}  // namespace batchscope
