// SPDX-License-Identifier: Apache-2.0
//
// Trains a small network in fp32 with a BatchNorm layer to imitate a fixed one, and prints what became of it.
//   train-replica precision STEPS [autocast] [scaler] [adam] [accumulate] [overflow] [overflows] [bad-sample]
//     [twice] [beside] [save]
// overflow: in the sixth step the last replica's gradient is infinite; overflows: from then on. bad-sample:
// an input of rank 0, whose buffers all replicas get, is NaN there. twice: backward runs a second time.
// beside: another module, which is well, trains in the same loop and accounts for the steps. save:
// checkpoints at the end; another generation goes on from there.
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tanh.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "batchscope/goodput/noise_scale.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/autocast.h"
#include "batchscope/train/grad_scaler.h"
#include "replica_main.h"
#include "steps.h"
#include "train_replica.h"

namespace batchscope::testing::precision_replica {

using namespace replica;
using protocol::Json;

namespace {

constexpr std::int64_t kBatch = 32, kInputs = 16;
constexpr int kOverflow = 5;

struct Model : torch::nn::Module {
  Model() {
    register_module("first", first), register_module("norm", norm), register_module("last", last);
    to(replica_device());
  }
  at::Tensor forward(const at::Tensor& x) { return last(at::relu(norm(first(x)))); }
  torch::nn::Linear first{kInputs, 64}, last{64, 2};
  torch::nn::BatchNorm1d norm{64};
};

// How far training was, for a generation that goes on.
struct Position : checkpoint::State {
  Position() : State("position") { checkpoint::load_state(*this); }
  void save(std::ostream& out) override { out << step; }
  void load(std::istream& in) override { in >> step; }
  int step = 0;
};

Json train(int steps, const std::set<std::string>& how) {
  at::manual_seed(1);
  Model model;
  const at::Tensor on_host = at::randn({4 * kBatch, kInputs}), data = on_host.to(replica_device()),
                   truth = at::tanh(on_host.mm(at::randn({kInputs, 2}))).to(replica_device());
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  if (how.contains("adam"))
    optimizer = std::make_unique<torch::optim::Adam>(model.parameters(), 0.01);
  else
    optimizer = std::make_unique<torch::optim::SGD>(model.parameters(), torch::optim::SGDOptions(0.02));
  GradScaler scaler({.growth_interval = 3, .enabled = how.contains("scaler")});
  AdaptiveDataParallel::Options options;
  options.scaler = &scaler;
  AdaptiveDataParallel adp(model, *optimizer, nullptr, options);
  torch::nn::Linear other(kInputs, 2);
  other->to(replica_device());
  torch::optim::SGD other_optimizer(other->parameters(), torch::optim::SGDOptions(0.02));
  std::optional<AdaptiveDataParallel> beside;
  if (how.contains("beside")) {
    options = {};
    options.name = "beside";
    beside.emplace(*other, other_optimizer, nullptr, options);
  }
  Position position;

  const int micro_batches = how.contains("accumulate") ? 2 : 1;
  const std::int64_t share = kBatch / (micro_batches * num_replicas());
  const bool last_replica = replica_rank() + 1 == num_replicas();
  Json said;
  std::string product;
  for (const int end = position.step + steps; position.step < end; ++position.step) {
    StepContext& context = step_context();
    context = {kBatch / 4, share, micro_batches - 1};
    double loss_of_step = 0;
    for (int micro = 0; micro < micro_batches; ++micro) {
      context.micro_step = micro;
      context.optimizer_step = micro + 1 == micro_batches;
      context.samples = kBatch * (micro + 1) / micro_batches;
      const std::int64_t from =
          position.step % 4 * kBatch + (micro * num_replicas() + replica_rank()) * share;
      adp.zero_grad();
      at::Tensor loss;
      {
        const Autocast autocast(replica_device(), at::kBFloat16, how.contains("autocast"));
        at::Tensor input = data.narrow(0, from, share).clone();
        if (how.contains("bad-sample") && position.step == kOverflow && replica_rank() == 0)
          input[0][0] = std::numeric_limits<float>::quiet_NaN();
        const at::Tensor output = model.forward(input);
        product = c10::toString(output.scalar_type());
        loss = at::mse_loss(output.to(at::kFloat), truth.narrow(0, from, share));
      }
      loss_of_step += loss.item<double>() / micro_batches;
      const bool overflows = how.contains("overflow")
                                 ? position.step == kOverflow
                                 : how.contains("overflows") && position.step >= kOverflow;
      if (overflows && last_replica) loss = loss * std::numeric_limits<float>::infinity();
      scaler.scale(loss).backward();
      if (how.contains("twice")) model.last->bias.sum().backward();
      adp.step();
      if (!beside) continue;
      beside->zero_grad();
      at::mse_loss(other(data.narrow(0, from, share)), truth.narrow(0, from, share)).backward();
      beside->step();
    }
    said["losses"].push_back(loss_of_step);
    said["scales"].push_back(scaler.get_scale());
    said["progress"].push_back(adp.progress());
    said["noises"].push_back(adp.noise_scale().state());
    said["trail"].push_back(contents({model.last->bias})[0]);
  }
  if (how.contains("save")) checkpoint::save_all_states("manual");
  said["weights"] = contents(model.parameters());
  said["buffers"] = contents(model.buffers());
  said["product"] = product;
  for (const at::Tensor& parameter : model.parameters())
    if (parameter.scalar_type() != at::kFloat) said["type"] = c10::toString(parameter.scalar_type());
  return said;
}

}  // namespace

int run(int count, char** arguments) {
  return replica_main([&] { return train(std::atoi(arguments[1]), {arguments + 2, arguments + count}); });
}

}  // namespace batchscope::testing::precision_replica
