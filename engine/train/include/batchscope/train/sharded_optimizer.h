// SPDX-License-Identifier: Apache-2.0
/// \file
/// An optimizer with its state divided among the replicas (ZeRO stage 1, Rajbhandari et al. 2020; FairScale's
/// OSS): each parameter has an owner, which alone keeps its state and steps it, and then sends the new values
/// to the others. Each of K replicas needs about a K-th of the memory. The results are those of the optimizer
/// alone, because the step of a parameter needs no other parameter.
///
///     ShardedOptimizer optimizer(std::make_unique<torch::optim::Adam>(model.parameters(), 1e-3));
///     AdaptiveDataParallel adp(model, optimizer);          // outside, so that norms are of whole gradients
///
/// A checkpoint holds the states by parameter, so that another number of replicas can divide them again.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/optim/optimizer.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace batchscope {

/// Wraps any optimizer that steps each parameter by itself, as all of LibTorch's do except LBFGS. Its groups,
/// with their learning rates, are what schedules and scaling rules see. Not thread-safe.
class ShardedOptimizer : public torch::optim::Optimizer {
 public:
  /// Takes the optimizer over, with its groups. After init_process_group, and after the module has been moved
  /// to its device; parameters become views of one tensor for each owner. A single replica owns all of them.
  /// Throws Error(usage) for LBFGS, which needs all parameters at once, and for a parameter with memory that
  /// overlaps.
  explicit ShardedOptimizer(std::unique_ptr<torch::optim::Optimizer> optimizer);
  ~ShardedOptimizer() override;

  /// Steps what this replica owns and exchanges the parameters; the closure is called once, before.
  /// Collective: blocks on every replica.
  at::Tensor step(LossClosure closure = nullptr) override;

  /// Returns whether this replica keeps the state of that parameter of its groups.
  bool owns(const at::Tensor& parameter) const;
  /// Returns the optimizer that steps the parameters: an optimizer itself, or the one that a ShardedOptimizer
  /// was made from, which has this replica's share of the parameters and their states.
  ///@{
  static const torch::optim::Optimizer& unwrap(const torch::optim::Optimizer& optimizer);
  static torch::optim::Optimizer& unwrap(torch::optim::Optimizer& optimizer);
  ///@}

  /// Drops the states that other replicas own, which loading or gathering has left here.
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
