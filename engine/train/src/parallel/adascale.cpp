// SPDX-License-Identifier: Apache-2.0
//
// A hook on each parameter sees every micro-batch's gradient before it is added up; the first one of a
// backward leaves a callback with autograd's engine, which runs when that backward is done.
#include "batchscope/train/adascale.h"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
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
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/series.h"
#include "batchscope/replica/process_group.h"
#include "batchscope/replica/record.h"
#include "batchscope/train/grad_scaler.h"
#include "device/tensor_group.h"
#include "gradient/buckets.h"
#include "gradient/norms.h"
#include "optimizer/scaled_learning_rates.h"

namespace batchscope {

using namespace replica;
using namespace train;
namespace {

void adascale_requires(bool fine, const std::string& what) {
  if (!fine) throw Error(ErrorKind::usage, "AdaScaleOptimizer: " + what);
}

goodput::NoiseOptions noise_options(const AdaScaleOptimizer::Options& options) {
  adascale_requires(!options.smoothing || (*options.smoothing >= 0 && *options.smoothing < 1),
                    "smoothing must be at least 0 and below 1");
  return {goodput::NoiseMode::fairscale, options.smoothing, options.debias_ewma};
}

int world_size(const AdaScaleOptimizer::Options& options) {
  const int all = num_replicas(), size = options.world_size.value_or(all);
  adascale_requires(size == 1 || size == all, "world_size is " + std::to_string(size) +
                                                  ": it must be the number of replicas, " +
                                                  std::to_string(all) + ", or 1 for this replica alone");
  return size;
}

}  // namespace

struct AdaScaleOptimizer::Impl {
  Impl(torch::optim::Optimizer& the_optimizer, const Options& options)
      : optimizer(the_optimizer),
        replicas(world_size(options)),
        scaled_loss(options.is_scaled_loss),
        scaler(options.scaler && options.scaler->enabled() ? options.scaler : nullptr),
        smoothing(options.smoothing),
        noise(optimizer.param_groups().size(), noise_options(options)) {
    set_accumulation(options.num_gradients_to_accumulate);
    scale = options.scale.value_or(gradients());
    adascale_requires(scale >= 1, "the scale must be at least 1");
  }

  ~Impl() { unhook(); }

  // The optimizer's groups that are not known yet.
  void hook(const std::weak_ptr<Impl>& self) {
    for (std::size_t group = local.size(); group < optimizer.param_groups().size(); ++group) {
      local.emplace_back();
      for (const at::Tensor& parameter : optimizer.param_groups()[group].params()) {
        if (!parameter.requires_grad()) continue;
        adascale_requires(!scaler || parameter.scalar_type() != at::kHalf,
                          "a parameter is in fp16, whose gradients a GradScaler cannot unscale: keep the "
                          "parameters in fp32 and use Autocast");
        hooks.push_back(parameter.register_hook([i = parameters.size(), self](const at::Tensor& gradient) {
          if (const auto impl = self.lock()) impl->on_gradient(i, gradient, self);
        }));
        parameters.push_back(parameter);
        group_of.push_back(group);
      }
    }
    adascale_requires(!parameters.empty(), "the optimizer has no parameter that requires a gradient");
    if (replicas == 1) return;
    std::vector<std::size_t> order(parameters.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    buckets.emplace(parameters, order, *tensor_group(), local);
  }

  void unhook() {
    for (std::size_t i = 0; i < hooks.size(); ++i) parameters[i].remove_hook(hooks[i]);
    hooks.clear();
    parameters.clear();
    group_of.clear();
    buckets.reset();
  }

  void require_hooked(const char* call) const {
    adascale_requires(!hooks.empty(), std::string(call) + " after unhook(): the optimizer goes on by itself");
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
    for (SquareSum& sum : local) sum.measure();  // the next backward adds to the same gradients
    adascale_requires(backwards <= accumulation,
                      "backward ran " + std::to_string(backwards) +
                          " times since the last step, num_gradients_to_accumulate is " +
                          std::to_string(accumulation) + ": call step() and zero_grad()");
    if (backwards < accumulation) return;
    const at::NoGradGuard no_grad;
    goodput::NormSample sample;
    sample.local_sqr = replicas > 1 ? average() : values(local);
    const double unscale = scaler ? 1 / scaler->get_scale() : 1;
    for (double& sqr : sample.local_sqr) sqr *= unscale * unscale;
    std::vector<SquareSum> total(local.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!parameters[i].grad().defined()) continue;
      if (scaler)
        train::scale(parameters[i].grad(), unscale, total[group_of[i]]);
      else
        add_square(parameters[i].grad(), total[group_of[i]]);
    }
    sample.total_sqr = values(total);
    skipped = scaler && !sample.is_finite();
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
    adascale_requires(count >= 1, "num_gradients_to_accumulate must be positive");
    adascale_requires(
        replicas * count > 1,
        "a single replica without accumulation has one gradient a step and so no spread to learn from: use "
        "more replicas, or accumulate at least two gradients");
    accumulation = count;
  }

  void require_complete(const char* call) const {
    adascale_requires(backwards == accumulation, std::string(call) + " after " + std::to_string(backwards) +
                                                     " of " + std::to_string(accumulation) +
                                                     " backward passes");
  }

  void require_between_steps(const char* call) const {
    adascale_requires(backwards % accumulation == 0,
                      std::string(call) + " in the middle of a step's backward passes");
  }

  int gradients() const { return replicas * accumulation; }

  double gain(std::size_t group) const {
    return goodput::gain_of(noise.sqr_by_group().at(group), noise.var_by_group().at(group), scale);
  }

  std::vector<double> gains() const {
    std::vector<double> gains(local.size());
    for (std::size_t group = 0; group < gains.size(); ++group) gains[group] = gain(group);
    return gains;
  }

  std::unique_ptr<torch::optim::Optimizer> owned;  // the optimizer, where it was handed over
  torch::optim::Optimizer& optimizer;
  const int replicas;
  const bool scaled_loss;
  GradScaler* const scaler;  // null where none is given, or enabled
  int accumulation = 1;
  double scale = 1;
  std::optional<double> smoothing;
  double progress = 0;
  goodput::NoiseScale noise;

  std::vector<at::Tensor> parameters;  // of all groups
  std::vector<std::size_t> group_of;
  std::vector<unsigned> hooks;
  std::optional<Buckets> buckets;  // several replicas

  std::mutex mutex;              // gradients on different devices come on different threads
  std::vector<SquareSum> local;  // by group
  int backwards = 0;             // since the last step
  bool in_backward = false;
  bool skipped = false;  // the last step's gradients are not finite, and the scaler finds another scale
};

AdaScaleOptimizer::AdaScaleOptimizer(torch::optim::Optimizer& optimizer, const Options& options)
    : impl_(std::make_shared<Impl>(optimizer, options)) {
  impl_->hook(impl_);
}

AdaScaleOptimizer::AdaScaleOptimizer(std::unique_ptr<torch::optim::Optimizer> optimizer,
                                     const Options& options)
    : AdaScaleOptimizer(*optimizer, options) {
  impl_->owned = std::move(optimizer);
}

AdaScaleOptimizer::~AdaScaleOptimizer() = default;

torch::optim::Optimizer& AdaScaleOptimizer::optimizer() const { return impl_->optimizer; }

void AdaScaleOptimizer::zero_grad() {
  impl_->require_hooked("zero_grad()");
  impl_->begin_step();
  for (at::Tensor& parameter : impl_->parameters) parameter.mutable_grad().reset();
}

at::Tensor AdaScaleOptimizer::step(const LossClosure& closure) {
  impl_->require_hooked("step()");
  at::Tensor loss;
  if (closure) {
    const at::AutoGradMode with_gradients(true);
    loss = closure();
  }
  impl_->require_complete("step()");
  metrics::StepReport report;
  report.skipped = report.expected = impl_->skipped;
  if (!report.skipped) {
    const std::vector<double> gains = impl_->gains();
    const ScaledLearningRates scaled(impl_->optimizer, gains);
    impl_->optimizer.step();
    report.lr_factor = gains.front();
    report.learning_rate = impl_->optimizer.param_groups().front().options().get_lr();
  }
  report.gain = gain();
  report.raw_gain = impl_->noise.raw_gain(impl_->scale);
  report.gain_interval = impl_->noise.gain_interval(impl_->scale);
  report.gradient = impl_->noise.params();
  if (!report.skipped) impl_->progress += report.gain;
  if (impl_->scaler) impl_->scaler->update_after(report.skipped);
  impl_->begin_step();
  if (running_loop()) return loss;  // AdaptiveDataParallel accounts for the step
  metrics::commit_step(report);
  record(protocol::series::kScale, impl_->scale);  // the step's own row has it of a loader
  return loss;
}

void AdaScaleOptimizer::scale_grad_by_num_grads_to_accum() {
  constexpr char kCall[] = "scale_grad_by_num_grads_to_accum()";
  adascale_requires(!impl_->scaled_loss,
                    std::string(kCall) + " is for a loss that is not scaled: is_scaled_loss is set");
  adascale_requires(impl_->accumulation > 1, std::string(kCall) + " where nothing is accumulated");
  impl_->require_complete(kCall);
  for (at::Tensor& parameter : impl_->parameters)
    if (parameter.grad().defined()) parameter.mutable_grad().div_(impl_->accumulation);
}

void AdaScaleOptimizer::add_param_group(const torch::optim::OptimizerParamGroup& group) try {
  impl_->require_hooked("add_param_group()");
  impl_->require_between_steps("add_param_group()");
  for (const auto& known : impl_->optimizer.param_groups())
    for (const at::Tensor& parameter : known.params())
      for (const at::Tensor& added : group.params())
        adascale_requires(!added.is_same(parameter),
                          "add_param_group() with a parameter that another group has");
  impl_->optimizer.add_param_group(group);
  impl_->noise.add_group();
  impl_->hook(impl_);
} catch (const c10::Error& error) {
  throw Error(ErrorKind::usage,
              std::string("AdaScaleOptimizer: the optimizer refuses the parameter group: ") +
                  error.what_without_backtrace());
}

void AdaScaleOptimizer::unhook() { impl_->unhook(); }

double AdaScaleOptimizer::gain() const { return impl_->noise.gain(impl_->scale); }
double AdaScaleOptimizer::gain(std::size_t group) const { return impl_->gain(group); }

double AdaScaleOptimizer::scale() const { return impl_->scale; }

void AdaScaleOptimizer::set_scale(double scale, ScaleChange change) {
  impl_->require_between_steps("set_scale()");
  adascale_requires(scale >= 1, "the scale must be at least 1");
  if (change == ScaleChange::base_batch_size) impl_->noise.rescale_variance(scale / impl_->scale);
  if (change == ScaleChange::fairscale) impl_->noise.rescale_variance(impl_->scale / scale);
  impl_->scale = scale;
}

double AdaScaleOptimizer::smoothing() const {
  return impl_->smoothing.value_or(goodput::fairscale_smoothing(impl_->gradients()));
}

void AdaScaleOptimizer::set_num_gradients_to_accumulate(int count, bool update_smoothing) {
  impl_->require_between_steps("set_num_gradients_to_accumulate()");
  const double previous_smoothing = smoothing();
  impl_->set_accumulation(count);
  impl_->smoothing = update_smoothing ? std::nullopt : std::optional(previous_smoothing);
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
