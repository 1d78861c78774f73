// SPDX-License-Identifier: Apache-2.0
//
// The order of a step: averaged gradients -> noise scale -> scaling rule -> optimizer -> progress.
#include "batchscope/train/adaptive_data_parallel.h"

#include <ATen/ops/isnan.h>
#include <c10/core/GradMode.h>
#include <torch/optim/optimizer.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "adapt/metrics.h"
#include "adapt/noise_measurement.h"
#include "adapt/step_context.h"
#include "batchscope/goodput/noise_scale.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/collective.h"
#include "batchscope/replica/process_group.h"
#include "batchscope/train/grad_scaler.h"
#include "batchscope/train/scaling_rule.h"
#include "batchscope/train/sharded_optimizer.h"
#include "device/tensor_group.h"
#include "gradient/buffer_sync.h"
#include "gradient/example_norms.h"
#include "gradient/factor_growth.h"
#include "gradient/gradient_sync.h"
#include "gradient/preconditioner.h"
#include "optimizer/scaled_learning_rates.h"
#include "parallel/training_state.h"
#include "process/session.h"
#include "report/telemetry_client.h"
#include "report/tensorboard.h"
#include "session/leave.h"
#include "session/non_finite_step.h"
#include "tensor/module_tensors.h"

namespace batchscope {

using namespace replica;
using namespace train;
namespace {

std::vector<std::vector<at::Tensor>> groups_of(const ModuleTensors& module,
                                               torch::optim::Optimizer& optimizer) {
  std::unordered_set<c10::TensorImpl*> known;
  bool trainable = false;
  for (const auto& [name, parameter] : module.parameters) {
    known.insert(parameter.unsafeGetTensorImpl());
    trainable = trainable || parameter.requires_grad();
  }
  if (!trainable) throw Error(ErrorKind::usage, "the module has no parameter that requires a gradient");
  std::vector<std::vector<at::Tensor>> groups;
  bool trained = false;
  for (const auto& group : optimizer.param_groups()) {
    for (const at::Tensor& parameter : group.params()) {
      if (!known.contains(parameter.unsafeGetTensorImpl()))
        throw Error(
            ErrorKind::usage,
            "the optimizer has a parameter that is not the module's: make it from module.parameters(), "
            "after the module has been moved to its device");
      trained = trained || parameter.requires_grad();
    }
    groups.push_back(group.params());
  }
  if (!trained) throw Error(ErrorKind::usage, "the optimizer has no parameter that requires a gradient");
  return groups;
}

std::vector<NamedTensor> named(const std::vector<std::pair<std::string, at::Tensor>>& tensors) {
  std::vector<NamedTensor> all;
  for (const auto& [name, tensor] : tensors) all.push_back({name, tensor});
  return all;
}

// NaN alone: a mask of minus infinity is a buffer as good as any.
bool any_nan(const std::vector<at::Tensor>& tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor& tensor) {
    return tensor.is_floating_point() && at::isnan(tensor).any().item<bool>();
  });
}

std::shared_ptr<ScalingRule> default_rule(const torch::optim::Optimizer& optimizer) {
  if (Preconditioner::fits(ShardedOptimizer::unwrap(optimizer))) return std::make_shared<AdamScale>();
  return std::make_shared<AdaScale>();
}

// Throws Error(usage) where they cannot be asked.
std::optional<ExampleNorms> example_norms(const AdaptiveDataParallel::Options& options,
                                          const ModuleTensors& module, torch::optim::Optimizer& optimizer,
                                          bool preconditioned) {
  if (!options.noise_from_examples) return {};
  if (preconditioned)
    throw Error(
        ErrorKind::usage,
        "noise from examples with AdamScale: its noise is that of gradients divided by Adam's moments, and "
        "examples tell only of undivided ones; leave it out, or use another scaling rule, such as "
        "SqrtScale");
  return std::optional<ExampleNorms>(std::in_place, groups_of(module, optimizer));
}

constexpr char kNothingTold[] =
    "AdaptiveDataParallel: the noise was to come from the examples, but the operations of this model have "
    "not told what each example of the batch adds to the gradient, so from here on it is that of successive "
    "gradients. An operation tells it if it is called once a step, on a batch of at least 2 samples from an "
    "AdaptiveDataLoader, which is one of the first two dimensions of its input, and if no BatchNorm trains";

void require_one_each(const std::vector<double>& factors, std::size_t groups) {
  if (factors.size() != groups)
    throw Error(ErrorKind::usage, "the scaling rule gave " + std::to_string(factors.size()) +
                                      " factors; there must be one for each of the optimizer's " +
                                      std::to_string(groups) + " parameter groups");
}

}  // namespace

struct AdaptiveDataParallel::Impl {
  Impl(ModuleTensors the_module, torch::optim::Optimizer& the_optimizer, LRScheduler* scheduler,
       Options options)
      : module(std::move(the_module)),
        optimizer(the_optimizer),
        rule(options.scaling_rule ? std::move(options.scaling_rule) : default_rule(optimizer)),
        scaler(options.scaler),
        noise(optimizer.param_groups().size(), {options.noise_mode, options.smoothing}),
        gain_of_past(options.noise_mode == goodput::NoiseMode::paper),
        mixes_estimates(options.mixes_estimates),
        gradients(groups_of(module, optimizer), options.bucket_bytes,
                  rule->preconditioned() && Preconditioner::fits(optimizer) ? &optimizer : nullptr, scaler),
        examples(example_norms(options, module, optimizer,
                               rule->preconditioned() && Preconditioner::fits(optimizer))),
        buffers(without_names(module.buffers), tensor_group().get()),
        state(options.name, {module, optimizer, scheduler, scaler, noise, examples, gradients, last}) {
    if (options.max_factor_growth) {
      growth.emplace(options.name + "-growth", optimizer.param_groups().size(), *options.max_factor_growth);
      checkpoint::load_state(*growth);
    }
    // Whether there is a checkpoint is the same everywhere, or the replicas do not see the same directory.
    const double loaded =
        collective::sum("checkpoint of " + options.name, checkpoint::load_state(state) ? 1 : 0);
    const int replicas = num_replicas();
    if (loaded != 0 && loaded != replicas)
      throw Error(ErrorKind::failure,
                  "only some replicas found the checkpoint: the checkpoint path must be a "
                  "directory that all of them share");
    if (loaded == 0 && replicas > 1) {
      BufferSync all(without_names(module.all()), tensor_group().get());
      all.start();
      all.finish();
    }
    gradients.on_last_backward([this] { average(); });
    accountant() = this;
    listen();
  }

  ~Impl() {
    if (accountant() == this) accountant() = nullptr;
  }

  // Drops the gradients of a step in flight as well, as where another network's loss went through this one.
  void zero() {
    gradients.zero();
    averaged.reset();
    if (examples) examples->forget();
    listen();
  }

  // A program may call the module before zero_grad() or after it. Several gradients a step need no examples.
  void listen() {
    if (!examples) return;
    const StepContext& context = step_context();
    if (num_replicas() > 1 || context.accumulation_steps > 0) return examples->stop();
    examples->expect(context.samples);
    examples->listen();
  }

  void average() {
    if (averaged)
      throw Error(ErrorKind::usage,
                  "backward ran again after the gradients of the step were averaged: add the losses, run it "
                  "once, and call step() after it");
    const c10::NoGradGuard no_grad;
    gradients.launch();
    buffers.start();
    averaged = gradients.finish();
  }

  void step() {
    const StepContext& context = step_context();
    if (!context.optimizer_step) {
      gradients.end_micro_step();
      if (accountant() == this) metrics::end_micro_step();
      return;
    }
    if (!averaged) average();
    const GradientSync::Result result = std::move(*averaged);
    averaged.reset();
    if (!result.any)
      throw Error(ErrorKind::usage,
                  "AdaptiveDataParallel: step() without a gradient: no backward pass has reached a parameter "
                  "since the last step; call loss.backward() first");
    const metrics::StepScale scale = metrics::step_scale(result.norms.count);
    norms = result.norms;
    norms.scale = scale.own;
    accum_scale = scale.nominal / (context.accumulation_steps + 1);
    accum_count = norms.count / num_replicas();
    if (noise_measurement().wanted()) return measure_noise();
    divisor_begun = divisor_begun || result.divisor_begun;
    // The paper's gain of a step is of the steps before it, and 1 at first; AdaptDL's has the step's own
    // noise.
    if (!gain_of_past) learn();

    metrics::StepReport report;
    last.gain = report.gain = noise.gain(scale.own);
    report.nominal_gain = noise.gain(scale.nominal);
    report.waited = result.waited;
    // Decided from what rode along with the gradients and from their average, so that every replica finds the
    // same.
    report.skipped = !norms.is_finite();
    report.expected = scaler && scaler->enabled();
    report.learning_rate = report.skipped ? 0 : step_optimizer(scale.own);
    report.lr_factor = last.lr_factor;
    if (gain_of_past) learn();
    report.raw_gain = noise.raw_gain(scale.nominal);
    report.gain_interval = noise.gain_interval(scale.nominal);
    report.gradient = noise.params();
    buffers.finish();
    if (scaler) scaler->update_after(report.skipped);
    const bool accounts = accountant() == this;
    if (accounts) metrics::commit_step(report);
    if (!report.skipped || report.expected) {
      non_finite_in_a_row = 0;
      return;
    }
    ++non_finite_steps;
    ++non_finite_in_a_row;
    after_non_finite_step({metrics::steps(), accounts ? metrics::non_finite_steps() : non_finite_steps,
                           non_finite_in_a_row, any_nan(without_names(module.buffers))});
  }

  // In the place of a step: the weights and the averages stay, and nothing is gained.
  void measure_noise() {
    buffers.finish();
    if (scaler) scaler->update_after(!norms.is_finite());
    if (accountant() != this) return;
    metrics::commit_step({.skipped = true, .expected = true});
    if (step_context().even && noise_measurement().add(norms)) leave(0);
  }

  // Updates the noise scale by this step's norms.
  void learn() {
    const double previous_scale = std::exchange(last.scale, norms.scale);
    if (learn_from_examples()) return;
    if (divisor_begun && norms.is_finite()) {  // the averages are of plain gradients
      if (!mixes_estimates) noise.begin_anew();
      divisor_begun = false;
    }
    if (norms.count == 1 && previous_scale > 0 && norms.scale != previous_scale && !mixes_estimates)
      norms.forget_previous();
    if (step_context().even)
      noise.update(norms);
    else
      gradients.forget_previous_gradient();  // nor for that of a step that is not even
  }

  // Their number says how large a batch is, whether or not the step is even. Returns whether they take the
  // gradients' place, also in a step in which they are not asked.
  bool learn_from_examples() {
    if (!examples || norms.count > 1) return false;
    const auto told = examples->take();
    if (told && std::isnan(told->local_sqr[0])) {
      notice("warning", kNothingTold);
      examples.reset();
      return false;
    }
    gradients.forget_previous_gradient();
    if (!told) return true;
    goodput::NormSample sample{.local_sqr = told->local_sqr,
                               .total_sqr = told->total_sqr,
                               .count = told->count,
                               .scale = norms.scale,
                               .previous_sqr = {},
                               .mean_of_two_sqr = {}};
    const double factor = scaler ? scaler->get_scale() : 1;  // of the loss, in all gradients that hooks see
    for (std::vector<double>* squares : {&sample.local_sqr, &sample.total_sqr})
      for (double& square : *squares) square /= factor * factor;
    noise.update(sample, told->steps);
    return true;
  }

  // The instance that accounts for the step that several make together, as two networks do that train each
  // other.
  struct Accountant {
    const Impl* impl = nullptr;
  };
  static const Impl*& accountant() { return session().part<Accountant>().impl; }

  // Steps the optimizer at scaled learning rates; returns the first group's.
  double step_optimizer(double scale) {
    std::vector<double> factors = rule->factors({noise.sqr_by_group(), noise.var_by_group(), scale,
                                                 step_context().initial_batch_size, metrics::progress()});
    require_one_each(factors, optimizer.param_groups().size());
    if (growth) growth->cap(factors);
    last.lr_factor = factors.front();
    const ScaledLearningRates scaled(optimizer, factors);
    optimizer.step();
    return optimizer.param_groups().front().options().get_lr();
  }

  const ModuleTensors module;
  torch::optim::Optimizer& optimizer;
  std::shared_ptr<ScalingRule> rule;
  GradScaler* scaler;  // may be null
  goodput::NoiseScale noise;
  const bool gain_of_past, mixes_estimates;
  GradientSync gradients;
  std::optional<ExampleNorms> examples;  // none: they are not asked
  BufferSync buffers;
  LastStep last;
  TrainingState state;
  std::optional<FactorGrowth> growth;
  std::optional<GradientSync::Result> averaged;  // of the step in flight, once it is known
  goodput::NormSample norms;
  double accum_scale = num_replicas();
  int accum_count = 0;
  bool divisor_begun = false;  // and no finite step since, whose estimates are the first through it
  std::int64_t non_finite_steps = 0, non_finite_in_a_row = 0;  // of this module, in this generation
};

AdaptiveDataParallel::AdaptiveDataParallel(torch::nn::Module& module, torch::optim::Optimizer& optimizer,
                                           LRScheduler* scheduler, Options options)
    : impl_(std::make_unique<Impl>(ModuleTensors::of(module), optimizer, scheduler, std::move(options))) {}

AdaptiveDataParallel::AdaptiveDataParallel(torch::jit::Module& module, torch::optim::Optimizer& optimizer,
                                           LRScheduler* scheduler, Options options)
    : impl_(std::make_unique<Impl>(ModuleTensors::of(module), optimizer, scheduler, std::move(options))) {}

AdaptiveDataParallel::AdaptiveDataParallel(torch::jit::Module& module, torch::optim::Optimizer& optimizer,
                                           LRScheduler* scheduler)
    : AdaptiveDataParallel(module, optimizer, scheduler, Options()) {}

AdaptiveDataParallel::AdaptiveDataParallel(torch::nn::Module& module, torch::optim::Optimizer& optimizer,
                                           LRScheduler* scheduler)
    : AdaptiveDataParallel(module, optimizer, scheduler, Options()) {}

AdaptiveDataParallel::AdaptiveDataParallel(const Tensors& module, torch::optim::Optimizer& optimizer,
                                           Options options)
    : impl_(std::make_unique<Impl>(ModuleTensors{named(module.parameters), named(module.buffers)}, optimizer,
                                   nullptr, std::move(options))) {}

AdaptiveDataParallel::~AdaptiveDataParallel() = default;

void AdaptiveDataParallel::zero_grad() { impl_->zero(); }
void AdaptiveDataParallel::step() {
  impl_->step();
  impl_->listen();
}
void AdaptiveDataParallel::expect_backward() { impl_->gradients.expect_backward(); }
double AdaptiveDataParallel::gain() const { return impl_->last.gain; }
double AdaptiveDataParallel::lr_factor() const { return impl_->last.lr_factor; }
double AdaptiveDataParallel::progress() const { return metrics::progress(); }
double AdaptiveDataParallel::accum_scale() const { return impl_->accum_scale; }
int AdaptiveDataParallel::accum_count() const { return impl_->accum_count; }
const goodput::NoiseScale& AdaptiveDataParallel::noise_scale() const { return impl_->noise; }
const goodput::NormSample& AdaptiveDataParallel::norms() const { return impl_->norms; }

void AdaptiveDataParallel::to_tensorboard(protocol::EventFile& writer, std::int64_t step,
                                          std::string_view prefix) const {
  std::map<std::string, double> scalars{{"Gradient_Norm_Sqr", noise_scale().sqr()},
                                        {"Gradient_Variance", noise_scale().var()},
                                        {"Gain", gain()},
                                        {"Learning_Rate_Factor", lr_factor()},
                                        {"Accum_Scale", accum_scale()},
                                        {"Progress", progress()}};
  if (accum_count() > 0) scalars["Accum_Count"] = accum_count();
  tensorboard::write_to(writer, step, prefix, scalars);
}

}  // namespace batchscope
