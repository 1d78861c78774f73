// SPDX-License-Identifier: Apache-2.0
//
// Reading Adam's second moments. They are only read: a change of the batch size leaves them as they are.
#include "gradient/preconditioner.h"

#include <ATen/ops/sqrt.h>
#include <c10/core/GradMode.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>

#include <cmath>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "optimizer/foreign_optimizer.h"
#include "tensor/parameter_key.h"

namespace batchscope::train {
namespace {

namespace optim = torch::optim;

constexpr std::int64_t kYoungest = 5;

template <class State, class Options>
SecondMoment read(const optim::OptimizerParamState& state, const optim::OptimizerOptions& options) {
  const auto& typed = static_cast<const State&>(state);
  const auto& settings = static_cast<const Options&>(options);
  return {typed.exp_avg_sq(), typed.step(), std::get<1>(settings.betas()), settings.eps()};
}

SecondMoment moment(optim::Optimizer& optimizer, std::size_t group, const at::Tensor& parameter) {
  if (const auto* foreign = dynamic_cast<const ForeignOptimizer*>(&optimizer))
    return foreign->second_moment(parameter);
  const auto found = optimizer.state().find(parameter_key(parameter));
  if (found == optimizer.state().end()) return {};
  const optim::OptimizerParamState& state = *found->second;
  const optim::OptimizerOptions& options = optimizer.param_groups()[group].options();
  return dynamic_cast<const optim::AdamParamState*>(&state)
             ? read<optim::AdamParamState, optim::AdamOptions>(state, options)
             : read<optim::AdamWParamState, optim::AdamWOptions>(state, options);
}

}  // namespace

bool Preconditioner::fits(const optim::Optimizer& optimizer) {
  if (const auto* foreign = dynamic_cast<const ForeignOptimizer*>(&optimizer))
    return foreign->has_second_moments();
  return dynamic_cast<const optim::Adam*>(&optimizer) || dynamic_cast<const optim::AdamW*>(&optimizer);
}

Preconditioner::Preconditioner(optim::Optimizer& optimizer, std::vector<at::Tensor> parameters)
    : optimizer_(optimizer) {
  std::unordered_map<c10::TensorImpl*, std::size_t> groups;
  for (std::size_t group = 0; group < optimizer.param_groups().size(); ++group)
    for (const at::Tensor& parameter : optimizer.param_groups()[group].params())
      groups[parameter.unsafeGetTensorImpl()] = group;
  for (at::Tensor& parameter : parameters) {
    const std::size_t group = groups.at(parameter.unsafeGetTensorImpl());
    entries_.push_back({std::move(parameter), {}, group, 0});
  }
}

const at::Tensor& Preconditioner::divisor(std::size_t parameter) {
  Entry& entry = entries_[parameter];
  const SecondMoment at = moment(optimizer_, entry.group, entry.parameter);
  if (at.step < kYoungest || at.step == entry.step) return entry.divisor;
  const c10::NoGradGuard no_grad;
  const double correction = 1 - std::pow(at.beta2, static_cast<double>(at.step));
  entry.divisor = at::sqrt(at.exp_avg_sq).div_(std::sqrt(correction)).add_(at.eps);
  entry.step = at.step;
  begun_ = begun_ || at.step == kYoungest;
  return entry.divisor;
}

}  // namespace batchscope::train
