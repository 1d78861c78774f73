// SPDX-License-Identifier: Apache-2.0
//
// Trains a small model in float64 on the same samples, however they are shared among replicas and
// micro-batches, with the learning-rate factor held at 1: once for each optimizer, side by side, each model
// in an AdaptiveDataParallel of its own. The model has a layer that is used twice, one that is frozen, one
// that is never used, and one that only odd samples use.
//   train-replica parallel '{"replicas": N, "accumulation": N, "steps": [of each generation], "mode": ...}'
// Modes: "plain": loops without AdaptiveDataParallel. "crooked": batches that replicas cannot share evenly,
// down to a single sample; "plain-crooked". "clip": gradients are clipped between backward and step;
// "plain-clip". "sharded": each optimizer's state is shared out;
// "sharded-clip". "replicas" may be a number for each generation.
// Every generation but the last ends with a checkpoint. Prints what the last one said (forked.h).
#include <ATen/ATen.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/goodput/noise_scale.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/train/adadelta.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/lr_scheduler.h"
#include "batchscope/train/replica_device.h"
#include "batchscope/train/scaling_rule.h"
#include "batchscope/train/sharded_optimizer.h"
#include "forked.h"
#include "steps.h"
#include "train_replica.h"

namespace batchscope::testing::parallel_replica {

using namespace replica;
using protocol::Json;

namespace {

constexpr std::int64_t kBatch = 24;
constexpr double kClip = 0.3;

struct Model : torch::nn::Module {
  Model() {
    register_module("first", first), register_module("twice", twice), register_module("unused", unused);
    register_module("odd", odd), register_module("last", last), register_module("norm", norm);
    register_module("frozen", frozen);
    to(replica_device(), at::kDouble);
    for (at::Tensor& parameter : frozen->parameters()) parameter.set_requires_grad(false);
  }
  at::Tensor forward(const at::Tensor& x, bool has_odd) {
    at::Tensor h = at::tanh(frozen(first(x)));
    if (x.size(0) > 1)
      norm(h.detach());  // keeps running statistics of what this replica saw, and has no part in the result
    h = at::tanh(twice(at::tanh(twice(h))));
    if (has_odd) h = h + odd(h) * x.narrow(1, 0, 1);
    return last(h);
  }
  torch::nn::Linear first{7, 16}, frozen{16, 16}, twice{16, 16}, unused{16, 3}, odd{16, 16}, last{16, 2};
  torch::nn::BatchNorm1d norm{torch::nn::BatchNorm1dOptions(16).affine(false)};
};

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const std::string& name, Model& model) {
  namespace optim = torch::optim;
  // The second group has options of its own.
  std::vector<at::Tensor> head = model.last->parameters(), body;
  for (const at::Tensor& parameter : model.parameters())
    if (std::none_of(head.begin(), head.end(), [&](const at::Tensor& one) { return one.is_same(parameter); }))
      body.push_back(parameter);
  const auto make = [&](auto options, auto other) {
    std::vector<optim::OptimizerParamGroup> groups;
    groups.emplace_back(body, std::make_unique<decltype(options)>(options));
    groups.emplace_back(head, std::make_unique<decltype(options)>(other));
    return groups;
  };
  if (name == "sgd")
    return std::make_unique<optim::SGD>(
        make(optim::SGDOptions(0.05).momentum(0.9), optim::SGDOptions(0.02).momentum(0.8).weight_decay(1e-3)),
        optim::SGDOptions(0.05));
  if (name == "adam")
    return std::make_unique<optim::Adam>(
        make(optim::AdamOptions(0.01), optim::AdamOptions(0.02).betas({0.8, 0.99})));
  if (name == "adamw")
    return std::make_unique<optim::AdamW>(
        make(optim::AdamWOptions(0.01), optim::AdamWOptions(0.02).amsgrad(true)));
  if (name == "rmsprop")
    return std::make_unique<optim::RMSprop>(
        make(optim::RMSpropOptions(0.01), optim::RMSpropOptions(0.02).momentum(0.5).centered(true)));
  if (name == "adadelta")
    return std::make_unique<Adadelta>(
        make(AdadeltaOptions(0.5), AdadeltaOptions(0.2).rho(0.8).weight_decay(1e-3)));
  return std::make_unique<optim::Adagrad>(
      make(optim::AdagradOptions(0.01), optim::AdagradOptions(0.02).lr_decay(0.1)));
}

// A model with all that trains it.
class Trainer {
 public:
  Trainer(const std::string& name, bool adaptive, bool sharded) : optimizer_(make_optimizer(name, model_)) {
    if (sharded) optimizer_ = std::make_unique<ShardedOptimizer>(std::move(optimizer_));
    schedule_.emplace(*optimizer_, 7, 0.9);
    if (!adaptive) return;
    AdaptiveDataParallel::Options options;
    options.name = name;
    options.scaling_rule = std::make_shared<IdentityScale>();
    options.bucket_bytes = 4000;  // several buckets
    adp_ = std::make_unique<AdaptiveDataParallel>(model_, *optimizer_, &*schedule_, options);
  }

  int steps() const { return schedule_->steps(); }

  // One step on these samples.
  void step(const at::Tensor& x, const at::Tensor& y, int accumulation, bool has_odd, bool clips) {
    if (adp_)
      adaptive_step(x, y, accumulation, has_odd, clips);
    else
      plain_step(x, y, has_odd, clips);
    schedule_->step();
  }

  Json said() const {
    Json said{{"weights", contents(model_.parameters())},
              {"running", contents(model_.buffers())},
              {"unused", model_.unused->weight.grad().defined()},
              {"rates", schedule_->learning_rates()},
              {"raw_gains", raw_gains_},
              {"states", ShardedOptimizer::unwrap(*optimizer_).state().size()}};
    if (adp_) said["noise"] = adp_->noise_scale().state();
    return said;
  }

 private:
  at::Tensor loss_of(const at::Tensor& x, const at::Tensor& y, bool has_odd) {
    return (model_.forward(x, has_odd) - y).square().sum(1).mean();
  }

  void plain_step(const at::Tensor& x, const at::Tensor& y, bool has_odd, bool clips) {
    for (at::Tensor& parameter : model_.parameters()) parameter.mutable_grad().reset();
    loss_of(x, y, has_odd).backward();
    if (clips) torch::nn::utils::clip_grad_norm_(model_.parameters(), kClip);
    optimizer_->step();
  }

  void adaptive_step(const at::Tensor& x, const at::Tensor& y, int accumulation, bool has_odd, bool clips) {
    const std::int64_t batch = x.size(0), replicas = num_replicas(), parts = replicas * (accumulation + 1);
    StepContext& context = step_context();
    context = {kBatch, (batch + parts - 1) / parts, accumulation};
    context.even = batch % parts == 0;
    std::int64_t at = 0;
    for (int micro = 0; micro <= accumulation; ++micro) {
      const std::int64_t share = batch / (accumulation + 1), rank = replica_rank();
      const std::int64_t mine = share / replicas + (rank < share % replicas);
      const std::int64_t offset = at + rank * (share / replicas) + std::min(rank, share % replicas);
      context.micro_step = micro;
      context.optimizer_step = micro == accumulation;
      context.samples += share;
      context.gradient_weight = static_cast<double>(mine * replicas) / static_cast<double>(share);
      adp_->zero_grad();
      // A replica without a sample computes on padding, and even a gradient that is not finite must not
      // count.
      const std::int64_t from = mine > 0 ? offset : 0, count = std::max<std::int64_t>(mine, 1);
      const at::Tensor loss =
          loss_of(x.narrow(0, from, count), y.narrow(0, from, count), has_odd && mine > 0);
      (mine > 0 ? loss : loss * std::nan("")).backward();
      if (clips && context.optimizer_step) torch::nn::utils::clip_grad_norm_(model_.parameters(), kClip);
      adp_->step();
      at += share;
    }
    raw_gains_.push_back(protocol::encode_number(adp_->noise_scale().raw_gain(2)));
  }

  Model model_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::optional<StepLR> schedule_;
  std::unique_ptr<AdaptiveDataParallel> adp_;
  Json raw_gains_ = Json::array();
};

Json train(const Json& settings, int steps, bool saves) {
  const std::string mode = settings.value("mode", "");
  const bool plain = mode.starts_with("plain"), crooked = mode.ends_with("crooked");
  std::map<std::string, std::unique_ptr<Trainer>> trainers;
  for (const char* name : {"sgd", "adam", "adamw", "rmsprop", "adagrad", "adadelta"}) {
    at::manual_seed(plain ? 0 : replica_rank());  // rank 0's weights must win
    trainers[name] = std::make_unique<Trainer>(name, !plain, mode.starts_with("sharded"));
  }
  at::manual_seed(1);
  const at::Tensor x = at::randn({96, 7}, at::kDouble).to(replica_device()),
                   y = at::randn({96, 2}, at::kDouble).to(replica_device());
  const int done = trainers["sgd"]->steps();
  for (int step = done; step < done + steps; ++step) {
    const std::int64_t batch = !crooked ? kBatch : step % 5 == 4 ? 1 : kBatch - step % 7;
    const std::int64_t from = (step * kBatch) % 96;
    for (const auto& [name, trainer] : trainers)
      trainer->step(x.narrow(0, from, batch), y.narrow(0, from, batch), settings.value("accumulation", 0),
                    step % 3 != 0, mode.ends_with("clip"));
  }
  if (saves) checkpoint::save_all_states("manual");
  Json said;
  for (const auto& [name, trainer] : trainers) said[name] = trainer->said();
  return said;
}

int replicas_of(const Json& settings, std::size_t generation) {
  const Json& replicas = settings["replicas"];
  return replicas.is_array() ? replicas[generation] : replicas;
}

}  // namespace

int run(int, char** arguments) {
  const Json settings = protocol::parse_object(arguments[1]);
  const Json& steps = settings["steps"];
  Json replicas;
  for (std::size_t number = 0; number < steps.size(); ++number)
    replicas = fork_replicas({static_cast<int>(number), replicas_of(settings, number)},
                             [&] { return train(settings, steps[number], number + 1 < steps.size()); });
  std::cout << Json{{"replicas", replicas}}.dump() << std::endl;
  return 0;
}

}  // namespace batchscope::testing::parallel_replica
