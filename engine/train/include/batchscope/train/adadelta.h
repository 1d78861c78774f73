// SPDX-License-Identifier: Apache-2.0
/// \file
/// Adadelta (Zeiler 2012), which LibTorch does not have, with the defaults and the numbers of PyTorch's
/// torch.optim.Adadelta. Of a parameter x with the gradient g (plus weight_decay * x), element by element,
///
///     v <- rho v + (1 - rho) g^2,   d = g sqrt(u + eps) / sqrt(v + eps),   u <- rho u + (1 - rho) d^2
///
/// and x moves by -lr * d; u and v begin with 0.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/arg.h>
#include <torch/optim/optimizer.h>

#include <cstdint>
#include <vector>

namespace batchscope {

/// Options of a parameter group; set as LibTorch's own: `AdadeltaOptions(1.0).rho(0.95)`.
struct AdadeltaOptions : torch::optim::OptimizerCloneableOptions<AdadeltaOptions> {
  /// Makes options with this learning rate.
  AdadeltaOptions(double lr = 1.0);
  /// The learning rate, a factor of the formula's move.
  TORCH_ARG(double, lr) = 1.0;
  /// Weight of the past in both averages, from 0 to 1.
  TORCH_ARG(double, rho) = 0.9;
  /// Added to both under their roots, not negative.
  TORCH_ARG(double, eps) = 1e-6;
  /// An L2 penalty, not negative.
  TORCH_ARG(double, weight_decay) = 0;

 public:
  /// The interface of torch::save and torch::load, and of schedules.
  ///@{
  void serialize(torch::serialize::InputArchive& archive) override;
  void serialize(torch::serialize::OutputArchive& archive) const override;
  double get_lr() const override;
  void set_lr(double lr) override;
  ///@}
};

/// State of a parameter.
struct AdadeltaParamState : torch::optim::OptimizerCloneableParamState<AdadeltaParamState> {
  /// Steps taken.
  TORCH_ARG(std::int64_t, step) = 0;
  /// v, of the parameter's shape.
  TORCH_ARG(at::Tensor, square_avg);
  /// u, of the parameter's shape.
  TORCH_ARG(at::Tensor, acc_delta);

 public:
  /// The interface of torch::save and torch::load.
  ///@{
  void serialize(torch::serialize::InputArchive& archive) override;
  void serialize(torch::serialize::OutputArchive& archive) const override;
  ///@}
};

/// The optimizer, used as any of LibTorch's. Not thread-safe.
class Adadelta : public torch::optim::Optimizer {
 public:
  /// Makes the optimizer; groups without options of their own have the defaults. Throws Error(usage) for
  /// defaults out of range.
  ///@{
  explicit Adadelta(std::vector<torch::optim::OptimizerParamGroup> groups, AdadeltaOptions defaults = {});
  explicit Adadelta(std::vector<at::Tensor> parameters, AdadeltaOptions defaults = {});
  ///@}

  /// Steps every parameter that has a gradient; the closure is called once, before. Throws Error(usage) for a
  /// gradient that is sparse.
  at::Tensor step(LossClosure closure = nullptr) override;

  /// The interface of torch::save and torch::load.
  ///@{
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;
  ///@}
};

}  // namespace batchscope
