// SPDX-License-Identifier: Apache-2.0
//
// A hook on each parameter sees every micro-batch's gradient before it is added up; the first one of a
// backward leaves a callback with autograd's engine, which runs when that backward is done.
#include "batchscope/train/adascale.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/optim/optimizer.h>

#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "adapt/loops.h"
#include "adapt/metrics.h"
#include "batchscope/goodput/noise_scale.h"
#include "batchscope/goodput/scaling_rule.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/series.h"
#include "batchscope/replica/process_group.h"
#include "batchscope/replica/record.h"
#include "device/tensor_group.h"
#include "gradient/buckets.h"
#include "gradient/norms.h"
#include "optimizer/scaled_learning_rates.h"

namespace batchscope {

using namespace replica;
using namespace train;
namespace {

void require(bool fine, const std::string& what) {
  if (!fine) throw Error(ErrorKind::usage, "AdaScaleOptimizer: " + what);
}

goodput::NoiseOptions noise_options(const AdaScaleOptimizer::Options& options) {
  require(!options.smoothing || (*options.smoothing >= 0 && *options.smoothing < 1),
          "smoothing must be at least 0 and below 1");
  return {goodput::NoiseMode::fairscale, options.smoothing, options.debias_ewma};
}

}  // namespace

struct AdaScaleOptimizer::Impl {
  Impl(torch::optim::Optimizer& the_optimizer, const Options& options)
      : optimizer(the_optimizer),
        groups(optimizer.param_groups().size()),
        replicas(num_replicas()),
        scaled_loss(options.is_scaled_loss),
        smoothing(options.smoothing),
        noise(groups, noise_options(options)),
        local(groups) {
    set_accumulation(options.num_gradients_to_accumulate);
    scale = options.scale.value_or(gradients());
    require(scale >= 1, "the scale must be at least 1");
    for (std::size_t group = 0; group < groups; ++group)
      for (const at::Tensor& parameter : optimizer.param_groups()[group].params())
        if (parameter.requires_grad()) {
          parameters.push_back(parameter);
          group_of.push_back(group);
        }
    require(!parameters.empty(), "the optimizer has no parameter that requires a gradient");
    if (replicas == 1) return;
    std::vector<std::size_t> order(parameters.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    buckets.emplace(parameters, order, *tensor_group(), local);
  }

  ~Impl() {
    for (std::size_t i = 0; i < hooks.size(); ++i) parameters[i].remove_hook(hooks[i]);
  }

  void hook(const std::shared_ptr<Impl>& self) {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      hooks.push_back(
          parameters[i].register_hook([i, weak = std::weak_ptr(self)](const at::Tensor& gradient) {
            if (const auto impl = weak.lock()) impl->on_gradient(i, gradient, weak);
          }));
  }

  void on_gradient(std::size_t i, const at::Tensor& gradient, const std::weak_ptr<Impl>& self) {
    const std::lock_guard lock(mutex);
    const at::NoGradGuard no_grad;
    add_square(gradient, local[group_of[i]]);
    if (std::exchange(in_backward, true)) return;
    torch::autograd::Engine::get_default_engine().queue_callback([self] {
      if (const auto impl = self.lock()) impl->end_backward();
    });
  }

  void end_backward() {
    in_backward = false;
    ++backwards;
    require(backwards <= accumulation, "backward ran " + std::to_string(backwards) +
                                           " times since the last step, num_gradients_to_accumulate is " +
                                           std::to_string(accumulation) + ": call step() and zero_grad()");
    if (backwards < accumulation) return;
    const at::NoGradGuard no_grad;
    goodput::NormSample sample;
    sample.local_sqr = replicas > 1 ? average() : values(local);
    std::vector<SquareSum> total(groups);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].grad().defined()) add_square(parameters[i].grad(), total[group_of[i]]);
    sample.total_sqr = values(total);
    // Autograd adds micro-batches up: a loss divided by their number makes each gradient too small, one that
    // is not makes their sum too large.
    const double times = static_cast<double>(accumulation) * accumulation;
    for (double& sqr : sample.local_sqr) sqr *= scaled_loss ? times : 1;
    for (double& sqr : sample.total_sqr) sqr /= scaled_loss ? 1 : times;
    sample.count = gradients();
    sample.scale = scale;
    noise.update(sample);
  }

  // Averages the gradients over replicas; returns the sums of local squares. A parameter keeps no gradient
  // where no replica has one.
  std::vector<double> average() {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!parameters[i].grad().defined()) continue;
      buckets->mark_present(i);
      buckets->place(i).copy_(parameters[i].grad());
    }
    buckets->launch_rest();
    const Buckets::Statistics summed = buckets->finish();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!summed.present(i)) continue;
      at::Tensor& gradient = parameters[i].mutable_grad();
      const at::Tensor& sum = buckets->place(i);
      gradient.defined() ? gradient.copy_(sum).div_(replicas) : gradient = sum.div(replicas);
    }
    return summed.local_sqr();
  }

  void begin_step() {
    backwards = 0;
    in_backward = false;
    for (SquareSum& sum : local) sum.clear();
  }

  void set_accumulation(int count) {
    require(count >= 1, "num_gradients_to_accumulate must be positive");
    require(
        replicas * count > 1,
        "a single replica without accumulation has one gradient a step and so no spread to learn from: use "
        "more replicas, or accumulate at least two gradients");
    accumulation = count;
  }

  void require_between_steps(const char* call) const {
    require(backwards % accumulation == 0, std::string(call) + " in the middle of a step's backward passes");
  }

  int gradients() const { return replicas * accumulation; }

  std::vector<double> gains() const {
    return goodput::adascale_factors(noise.sqr_by_group(), noise.var_by_group(), scale);
  }

  torch::optim::Optimizer& optimizer;
  const std::size_t groups;
  const int replicas;
  const bool scaled_loss;
  int accumulation = 1;
  double scale = 1;
  std::optional<double> smoothing;
  double progress = 0;
  goodput::NoiseScale noise;

  std::vector<at::Tensor> parameters;  // of all groups
  std::vector<std::size_t> group_of;
  std::vector<unsigned> hooks;
  std::optional<Buckets> buckets;  // several replicas

  std::mutex mutex;  // gradients on different devices come on different threads
  std::vector<SquareSum> local;
  int backwards = 0;  // since the last step
  bool in_backward = false;
};

AdaScaleOptimizer::AdaScaleOptimizer(torch::optim::Optimizer& optimizer, const Options& options)
    : impl_(std::make_shared<Impl>(optimizer, options)) {
  impl_->hook(impl_);
}

AdaScaleOptimizer::~AdaScaleOptimizer() = default;

void AdaScaleOptimizer::zero_grad() {
  impl_->begin_step();
  for (at::Tensor& parameter : impl_->parameters) parameter.mutable_grad().reset();
}

void AdaScaleOptimizer::step() {
  require(impl_->backwards == impl_->accumulation, "step() after " + std::to_string(impl_->backwards) +
                                                       " of " + std::to_string(impl_->accumulation) +
                                                       " backward passes");
  metrics::StepReport report;
  {
    const std::vector<double> gains = impl_->gains();
    const ScaledLearningRates scaled(impl_->optimizer, gains);
    impl_->optimizer.step();
    report.lr_factor = gains.front();
    report.learning_rate = impl_->optimizer.param_groups().front().options().get_lr();
  }
  report.gain = gain();
  report.raw_gain = impl_->noise.raw_gain(impl_->scale);
  report.grad_sqr = impl_->noise.sqr();
  report.grad_var = impl_->noise.var();
  impl_->progress += report.gain;
  impl_->begin_step();
  if (running_loop()) return;  // AdaptiveDataParallel accounts for the step
  metrics::commit_step(report);
  record(protocol::series::kScale, impl_->scale);  // the step's own row has it of a loader
}

double AdaScaleOptimizer::gain() const { return impl_->noise.gain(impl_->scale); }
double AdaScaleOptimizer::gain(std::size_t group) const { return impl_->gains().at(group); }

double AdaScaleOptimizer::scale() const { return impl_->scale; }

void AdaScaleOptimizer::set_scale(double scale, bool update_estimate) {
  impl_->require_between_steps("set_scale()");
  require(scale >= 1, "the scale must be at least 1");
  if (update_estimate) impl_->noise.rescale_variance(impl_->scale / scale);
  impl_->scale = scale;
}

double AdaScaleOptimizer::smoothing() const {
  return impl_->smoothing.value_or(goodput::fairscale_smoothing(impl_->gradients()));
}

void AdaScaleOptimizer::set_num_gradients_to_accumulate(int count, bool update_smoothing) {
  impl_->require_between_steps("set_num_gradients_to_accumulate()");
  const double kept = smoothing();
  impl_->set_accumulation(count);
  impl_->smoothing = update_smoothing ? std::nullopt : std::optional(kept);
  impl_->noise.set_smoothing(impl_->smoothing);
}

double AdaScaleOptimizer::scale_invariant_steps() const { return impl_->progress; }
bool AdaScaleOptimizer::done(double total) const { return impl_->progress >= total; }

std::vector<double> AdaScaleOptimizer::state() const {
  std::vector<double> state = impl_->noise.state();
  state.push_back(impl_->progress);
  return state;
}

void AdaScaleOptimizer::restore(const std::vector<double>& state) try {
  if (state.empty()) throw std::invalid_argument("it is empty");
  impl_->noise.restore({state.begin(), state.end() - 1});
  impl_->progress = state.back();
} catch (const std::invalid_argument& error) {
  throw Error(ErrorKind::corrupt, std::string("AdaScaleOptimizer's state cannot be read: ") + error.what());
}

}  // namespace batchscope
