// SPDX-License-Identifier: Apache-2.0
#include "batchscope/train/adadelta.h"

#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/optim/serialize.h>

#include <memory>
#include <string>
#include <utility>

#include "batchscope/protocol/error.h"
#include "optimizer/require.h"
#include "tensor/parameter_key.h"

namespace batchscope {

using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

namespace {

AdadeltaOptions checked(const AdadeltaOptions& options) {
  require(options.lr() >= 0, "Adadelta: lr is negative");
  require(options.rho() >= 0 && options.rho() <= 1, "Adadelta: rho must be from 0 to 1");
  require(options.eps() >= 0, "Adadelta: eps is negative");
  require(options.weight_decay() >= 0, "Adadelta: weight_decay is negative");
  return options;
}

void step_parameter(const at::Tensor& parameter, const AdadeltaOptions& options, AdadeltaParamState& state) {
  at::Tensor gradient = parameter.grad();
  require(!gradient.is_sparse(), "Adadelta: a gradient is sparse: it needs dense ones");
  if (options.weight_decay() != 0) gradient = gradient.add(parameter, options.weight_decay());
  if (!state.square_avg().defined()) {
    state.square_avg(at::zeros_like(parameter, at::MemoryFormat::Preserve));
    state.acc_delta(at::zeros_like(parameter, at::MemoryFormat::Preserve));
  }
  const double rho = options.rho();
  state.step(state.step() + 1);
  state.square_avg().mul_(rho).addcmul_(gradient, gradient, 1 - rho);
  const at::Tensor root = state.square_avg().add(options.eps()).sqrt_();
  const at::Tensor delta = state.acc_delta().add(options.eps()).sqrt_().div_(root).mul_(gradient);
  state.acc_delta().mul_(rho).addcmul_(delta, delta, 1 - rho);
  parameter.add_(delta, -options.lr());
}

}  // namespace

AdadeltaOptions::AdadeltaOptions(double lr) : lr_(lr) {}

double AdadeltaOptions::get_lr() const { return lr(); }
void AdadeltaOptions::set_lr(double lr) { this->lr(lr); }

void AdadeltaOptions::serialize(OutputArchive& archive) const {
  _TORCH_OPTIM_SERIALIZE_TORCH_ARG(lr);
  _TORCH_OPTIM_SERIALIZE_TORCH_ARG(rho);
  _TORCH_OPTIM_SERIALIZE_TORCH_ARG(eps);
  _TORCH_OPTIM_SERIALIZE_TORCH_ARG(weight_decay);
}

void AdadeltaOptions::serialize(InputArchive& archive) {
  _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(double, lr);
  _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(double, rho);
  _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(double, eps);
  _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(double, weight_decay);
}

void AdadeltaParamState::serialize(OutputArchive& archive) const {
  _TORCH_OPTIM_SERIALIZE_TORCH_ARG(step);
  _TORCH_OPTIM_SERIALIZE_TORCH_ARG(square_avg);
  _TORCH_OPTIM_SERIALIZE_TORCH_ARG(acc_delta);
}

void AdadeltaParamState::serialize(InputArchive& archive) {
  _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(std::int64_t, step);
  _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(at::Tensor, square_avg);
  _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(at::Tensor, acc_delta);
}

Adadelta::Adadelta(std::vector<torch::optim::OptimizerParamGroup> groups, AdadeltaOptions defaults)
    : Optimizer(std::move(groups), std::make_unique<AdadeltaOptions>(checked(defaults))) {}

Adadelta::Adadelta(std::vector<at::Tensor> parameters, AdadeltaOptions defaults)
    : Adadelta(std::vector{torch::optim::OptimizerParamGroup(std::move(parameters))}, std::move(defaults)) {}

at::Tensor Adadelta::step(LossClosure closure) {
  at::Tensor loss;
  if (closure) {
    const c10::AutoGradMode with_gradients(true);
    loss = closure();
  }
  const c10::NoGradGuard no_grad;
  for (const torch::optim::OptimizerParamGroup& group : param_groups())
    for (const at::Tensor& parameter : group.params()) {
      if (!parameter.grad().defined()) continue;
      auto& state = state_[train::parameter_key(parameter)];
      if (!state) state = std::make_unique<AdadeltaParamState>();
      step_parameter(parameter, static_cast<const AdadeltaOptions&>(group.options()),
                     static_cast<AdadeltaParamState&>(*state));
    }
  return loss;
}

void Adadelta::save(OutputArchive& archive) const {
  torch::optim::serialize<AdadeltaParamState, AdadeltaOptions>(archive, *this);
}

void Adadelta::load(InputArchive& archive) {
  torch::optim::serialize<AdadeltaParamState, AdadeltaOptions>(archive, *this);
}

}  // namespace batchscope
