// SPDX-License-Identifier: Apache-2.0
#include "scaling.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "batchscope/train/noise_scale.h"
#include "batchscope/train/process_group.h"
#include "batchscope/train/scaling_rule.h"

namespace batchscope::examples {
namespace {

constexpr double kWarmUp = 0.055;  // of training

}  // namespace

// The rule is called once in every optimizer step, not for the micro-batches before the last one.
class Scaling::Linear : public LinearScale {
 public:
  std::vector<double> factors(const Step& step) const override {
    asked_ = true;
    return LinearScale::factors(step);
  }
  bool take_step() { return std::exchange(asked_, false); }

 private:
  mutable bool asked_ = false;
};

void add_scaling_options(CLI::App& app, ScalingOptions& options) {
  constexpr std::int64_t kMost = 60'000;
  app.add_option("--batch-size", options.batch_size,
                 "Initial batch size, over all replicas; the learning rate is for it")
      ->check(CLI::Range(std::int64_t{1}, kMost));
  app.add_option("--max-batch-size", options.max_batch_size, "Largest batch size that goodput may choose")
      ->check(CLI::Range(std::int64_t{1}, kMost));
  app.add_flag("--no-autoscale", options.no_autoscale, "Keep the initial batch size");
  app.add_flag("--no-accumulation", options.no_accumulation,
               "Never split a batch into several micro-batches; one replica then keeps its batch size");
  app.add_option("--micro-batches", options.micro_batches,
                 "Fix the scale: take this many micro-batches of --batch-size per step on each replica; 0: "
                 "goodput chooses the batch size")
      ->check(CLI::Range(0, 4096));
  app.add_option("--scaling-rule", options.rule, "Scaling rule of the learning rate at a fixed scale")
      ->check(CLI::IsMember({"adascale", "linear"}));
  app.add_option("--noise-mode", options.noise_mode,
                 "Averages of the gradient's noise for the gain: AdaptDL's, the paper's, or tracking with a "
                 "shorter memory")
      ->check(CLI::IsMember({"adaptdl", "paper", "tracking"}));
  app.add_option("--noise-from", options.noise_from,
                 "On one replica without accumulation, take the gradient's noise from successive gradients, as "
                 "AdaptDL, or from the examples of each batch")
      ->check(CLI::IsMember({"gradients", "examples"}));
  app.add_option("--schedule", options.schedule,
                 "Schedule of the learning rate: to 0 along a cosine, or to a tenth at 1/2 and again at 3/4 "
                 "of training")
      ->check(CLI::IsMember({"cosine", "steps"}));
  app.parse_complete_callback([&options] {
    if (!options.no_autoscale && options.max_batch_size < options.batch_size)
      throw CLI::ValidationError("--max-batch-size",
                                 "must not be below --batch-size " + std::to_string(options.batch_size));
  });
}

Scaling::Scaling(const ScalingOptions& options, std::int64_t samples, int epochs,
                 torch::optim::Optimizer& optimizer)
    : options_(options),
      scale_(options.rule == "linear" ? std::max(1, options.micro_batches) * num_replicas() : 1),
      duration_(epochs *
                std::ceil(static_cast<double>(samples) / (scale_ * static_cast<double>(options.batch_size)))),
      linear_(options.rule == "linear" ? std::make_shared<Linear>() : nullptr),
      schedule_(optimizer, [this](int step) { return factor(step); }) {}

void Scaling::apply(AdaptiveDataLoaderMixin& loader) const {
  if (options_.micro_batches > 0)
    loader.scale_by_replicas(options_.micro_batches, !linear_);
  else if (!options_.no_autoscale)
    loader.autoscale_batch_size(options_.max_batch_size, {}, !options_.no_accumulation);
}

AdaptiveDataParallel::Options Scaling::parallel() const {
  AdaptiveDataParallel::Options options;
  options.scaling_rule = linear_;
  if (options_.noise_mode == "paper") options.noise_mode = goodput::NoiseMode::paper;
  if (options_.noise_mode == "tracking") options.noise_mode = goodput::NoiseMode::tracking;
  options.noise_from_examples = options_.noise_from == "examples";
  return options;
}

double Scaling::factor(double step) const {
  const double done = std::min(step / duration_, 1.0);
  const double decay = options_.schedule == "cosine" ? (1 + std::cos(std::numbers::pi * done)) / 2
                       : done < 0.5                  ? 1
                       : done < 0.75                 ? 0.1
                                                     : 0.01;
  const double warm = std::min(done / kWarmUp, 1.0);
  return decay * (1 + (scale_ - 1) * warm) / scale_;  // the rule multiplies by the scale
}

void Scaling::step(const AdaptiveDataParallel& adp) {
  if (!linear_)
    schedule_.step_to(adp.progress());
  else if (linear_->take_step())
    schedule_.step();
}

}  // namespace batchscope::examples
