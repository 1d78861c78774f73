// SPDX-License-Identifier: Apache-2.0
//
// S is an fp32 number, as it is in PyTorch, but on the host: whether to step is decided there anyway.
#include "batchscope/train/grad_scaler.h"

#include <ATen/ops/isfinite.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>
#include <c10/core/GradMode.h>
#include <torch/optim/optimizer.h>

#include <cmath>
#include <string>

#include "batchscope/protocol/error.h"

namespace batchscope {

namespace {

void scaler_requires(bool fine, const std::string& what) {
  if (!fine) throw Error(ErrorKind::usage, "GradScaler: " + what);
}

GradScaler::Options checked(const GradScaler::Options& options) {
  scaler_requires(options.init_scale > 0 && std::isfinite(options.init_scale), "init_scale must be positive");
  scaler_requires(options.growth_factor > 1 && std::isfinite(options.growth_factor),
                  "growth_factor must be above 1");
  scaler_requires(options.backoff_factor > 0 && options.backoff_factor < 1,
                  "backoff_factor must be between 0 and 1");
  scaler_requires(options.growth_interval >= 1, "growth_interval must be positive");
  return options;
}

// Waits for each device once.
bool all_finite(const std::vector<at::Tensor>& tensors) {
  std::map<c10::DeviceIndex, std::vector<at::Tensor>> flags;
  for (const at::Tensor& tensor : tensors)
    flags[tensor.device().index()].push_back(at::isfinite(tensor).all());
  for (const auto& [device, on_device] : flags)
    if (!at::stack(on_device).all().item<bool>()) return false;
  return true;
}

}  // namespace

GradScaler::GradScaler(const Options& options)
    : options_(checked(options)), scale_(static_cast<float>(options.init_scale)) {}

// Multiplies by a tensor in fp32, so that a loss in fp16, which could not hold S, is promoted.
at::Tensor GradScaler::scale(const at::Tensor& loss) const {
  return enabled() ? loss.mul(at::scalar_tensor(scale_, at::kFloat)) : loss;
}

void GradScaler::unscale_(torch::optim::Optimizer& optimizer) {
  if (!enabled()) return;
  const auto [found, fresh] = optimizers_.try_emplace(&optimizer);
  scaler_requires(fresh, found->second.stage == Stage::stepped
                             ? "unscale_() was called after step(): call update() between them"
                             : "unscale_() was called twice on this optimizer: call update() between them");
  const c10::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  for (const torch::optim::OptimizerParamGroup& group : optimizer.param_groups())
    for (const at::Tensor& parameter : group.params())
      if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  for (const at::Tensor& gradient : gradients)
    scaler_requires(gradient.scalar_type() != at::kHalf,
                    "gradients in fp16 cannot be unscaled: keep the parameters in fp32 and use Autocast");
  for (const at::Tensor& gradient : gradients) gradient.mul_(1.0f / scale_);
  found->second.any = !gradients.empty();
  found->second.found_inf = !all_finite(gradients);
}

bool GradScaler::step(torch::optim::Optimizer& optimizer) {
  if (!enabled()) {
    optimizer.step();
    return true;
  }
  if (!optimizers_.contains(&optimizer)) unscale_(optimizer);
  Optimizer& state = optimizers_.at(&optimizer);
  scaler_requires(state.stage != Stage::stepped, "step() was called twice: call update() between them");
  scaler_requires(state.any, "step() on an optimizer without gradients: run backward on scale(loss) first");
  if (!state.found_inf) optimizer.step();
  state.stage = Stage::stepped;
  return !state.found_inf;
}

void GradScaler::update(std::optional<double> new_scale) {
  if (!enabled()) return;
  if (new_scale) {
    scaler_requires(*new_scale > 0 && std::isfinite(*new_scale), "update() to a scale that is not positive");
    scale_ = static_cast<float>(*new_scale);
    optimizers_.clear();
    return;
  }
  bool any = false, found_inf = false;
  for (const auto& [optimizer, state] : optimizers_) {
    any = any || state.any;
    found_inf = found_inf || state.found_inf;
  }
  scaler_requires(any, "update() before any gradients were unscaled: call step() before it");
  optimizers_.clear();
  update_after(found_inf);
}

void GradScaler::update_after(bool found_inf) {
  if (!enabled()) return;
  if (found_inf) {
    scale_ *= static_cast<float>(options_.backoff_factor);
    growth_tracker_ = 0;
  } else if (++growth_tracker_ == options_.growth_interval) {
    const float grown = scale_ * static_cast<float>(options_.growth_factor);
    if (std::isfinite(grown)) scale_ = grown;
    growth_tracker_ = 0;
  }
}

std::vector<double> GradScaler::state() const {
  if (!enabled()) return {};
  return {scale_, options_.growth_factor, options_.backoff_factor,
          static_cast<double>(options_.growth_interval), static_cast<double>(growth_tracker_)};
}

void GradScaler::restore(const std::vector<double>& state) try {
  if (!enabled()) return;
  scaler_requires(state.size() == 5,
                  "its state has " + std::to_string(state.size()) + " numbers instead of 5");
  scaler_requires(state[3] <= 1e9 && state[4] >= 0 && state[4] < state[3],
                  "its state has a count that is out of range");
  options_ = checked({state[0], state[1], state[2], static_cast<int>(state[3]), true});
  scale_ = static_cast<float>(state[0]);
  growth_tracker_ = static_cast<int>(state[4]);
} catch (const Error& error) {
  throw Error(ErrorKind::corrupt, error.what());
}

}  // namespace batchscope
