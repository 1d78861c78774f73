// SPDX-License-Identifier: Apache-2.0
//
// Trains a small model in float64 on the same samples, however they are shared among replicas and
// micro-batches, with the learning-rate factor held at 1, and prints the weights. The model has a layer that
// is used twice, one that is never used, and one that only odd samples use.
//   train-parallel-replica OPTIMIZER ACCUMULATION STEPS [plain|save|resume|crooked|clip]
// plain: a loop without AdaptiveDataParallel, on one process. save: checkpoints at the end. resume: from that
// checkpoint. crooked: batches that replicas cannot share evenly, down to a single sample. clip: gradients
// are changed in place between backward and step.
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
#include <memory>
#include <string>
#include <vector>

#include "batchscope/goodput/noise_scale.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/checkpoint.h"
#include "batchscope/train/lr_scheduler.h"
#include "batchscope/train/scaling_rule.h"
#include "replica_main.h"
#include "step_context.h"

using namespace batchscope;
using protocol::Json;

namespace {

constexpr std::int64_t kBatch = 24;

struct Model : torch::nn::Module {
  Model() {
    register_module("first", first), register_module("twice", twice), register_module("unused", unused);
    register_module("odd", odd), register_module("last", last), register_module("norm", norm);
    to(at::kDouble);
  }
  at::Tensor forward(const at::Tensor& x, bool has_odd) {
    at::Tensor h = at::tanh(first(x));
    if (x.size(0) > 1)
      norm(h.detach());  // keeps running statistics of what this replica saw, and has no part in the result
    h = at::tanh(twice(at::tanh(twice(h))));
    if (has_odd) h = h + odd(h) * x.narrow(1, 0, 1);
    return last(h);
  }
  torch::nn::Linear first{7, 16}, twice{16, 16}, unused{16, 3}, odd{16, 16}, last{16, 2};
  torch::nn::BatchNorm1d norm{torch::nn::BatchNorm1dOptions(16).affine(false)};
};

struct FactorOne : ScalingRule {
  std::vector<double> factors(const Step& step) const override {
    return std::vector<double>(step.grad_sqr.size(), 1.0);
  }
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
  return std::make_unique<optim::Adagrad>(
      make(optim::AdagradOptions(0.01), optim::AdagradOptions(0.02).lr_decay(0.1)));
}

std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().to(at::kDouble).contiguous().reshape(-1);
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

Json contents(const std::vector<at::Tensor>& tensors) {
  Json all;
  for (const at::Tensor& tensor : tensors) all.push_back(numbers(tensor));
  return all;
}

Json train(const std::string& optimizer_name, int accumulation, int steps, const std::string& mode) {
  at::manual_seed(mode == "plain" ? 0 : replica_rank());  // rank 0's weights must win
  Model model;
  at::manual_seed(1);
  const at::Tensor x = at::randn({96, 7}, at::kDouble), y = at::randn({96, 2}, at::kDouble);
  const auto optimizer = make_optimizer(optimizer_name, model);
  StepLR schedule(*optimizer, 7, 0.9);

  std::unique_ptr<AdaptiveDataParallel> adp;
  if (mode != "plain" && mode != "plain-crooked") {
    AdaptiveDataParallel::Options options;
    options.scaling_rule = std::make_shared<FactorOne>();
    options.bucket_bytes = 1500;  // several buckets
    adp = std::make_unique<AdaptiveDataParallel>(model, *optimizer, &schedule, options);
  }
  const bool crooked = mode.ends_with("crooked");
  Json raw_gains = Json::array();
  const int done = schedule.steps();
  for (int step = done; step < done + steps; ++step) {
    const std::int64_t batch = !crooked ? kBatch : step % 5 == 4 ? 1 : kBatch - step % 7;
    const std::int64_t from = (step * kBatch) % 96;
    const bool has_odd = step % 3 != 0;
    const auto loss_of = [&](std::int64_t first, std::int64_t count, bool odd) {
      const at::Tensor output = model.forward(x.narrow(0, first, count), odd);
      return (output - y.narrow(0, first, count)).square().sum(1).mean();
    };
    if (!adp) {
      for (at::Tensor& parameter : model.parameters()) parameter.mutable_grad().reset();
      loss_of(from, batch, has_odd).backward();
      optimizer->step();
    } else {
      StepContext& context = step_context();
      const std::int64_t replicas = num_replicas(), parts = replicas * (accumulation + 1);
      context = {kBatch, (batch + parts - 1) / parts, accumulation};
      context.even = batch % parts == 0;
      std::int64_t at = from;
      for (int micro = 0; micro <= accumulation; ++micro) {
        const std::int64_t share = batch / (accumulation + 1);
        const std::int64_t mine = share / replicas + (replica_rank() < share % replicas);
        std::int64_t offset = 0;
        for (int rank = 0; rank < replica_rank(); ++rank)
          offset += share / replicas + (rank < share % replicas);
        context.micro_step = micro;
        context.optimizer_step = micro == accumulation;
        context.samples += share;
        context.gradient_weight = static_cast<double>(mine * replicas) / static_cast<double>(share);
        adp->zero_grad();
        // A replica without a sample computes on padding, and even a gradient that is not finite must not
        // count.
        const at::Tensor loss = loss_of(at + offset, std::max<std::int64_t>(mine, 1), has_odd && mine > 0);
        (mine > 0 ? loss : loss * std::nan("")).backward();
        if (mode == "clip" && context.optimizer_step)
          torch::nn::utils::clip_grad_norm_(model.parameters(), 1e-3);
        adp->step();
        at += share;
      }
      raw_gains.push_back(protocol::encode_number(adp->noise_scale().raw_gain(2)));
    }
    schedule.step();
  }
  if (mode == "save") checkpoint::save_all_states("manual");

  Json said;
  said["weights"] = contents(model.parameters());
  said["running"] = contents(model.buffers());
  said["unused"] = model.unused->weight.grad().defined();
  said["rates"] = schedule.learning_rates();
  said["raw_gains"] = raw_gains;
  if (adp) said["noise"] = adp->noise_scale().state();
  return said;
}

}  // namespace

int main(int count, char** arguments) {
  return testing::replica_main([&] {
    return train(arguments[1], std::atoi(arguments[2]), std::atoi(arguments[3]),
                 count > 4 ? arguments[4] : "");
  });
}
