// SPDX-License-Identifier: Apache-2.0
//
// Trains a trajectory that FairScale recorded on its data through AdaScaleOptimizer, and prints what it
// computed at every step.
//   train-replica adascale FAIRSCALE_ADASCALE_JSON TRAJECTORY
// Or the case of FairScale's test_oss_adascale.py, test_sequential, with the optimizer's state shared out or
// not.
//   train-replica adascale sequential whole|sharded
// Or two parameters, the second of which is added later; two replicas have the gradients that one has as two
// micro-batches.
//   train-replica adascale added whole|sharded
// Or one parameter on each replica, which steps by itself; and a world of so many replicas.
//   train-replica adascale alone
//   train-replica adascale world SIZE
#include <ATen/ATen.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "batchscope/replica/collective.h"
#include "batchscope/train/adascale.h"
#include "batchscope/train/sharded_optimizer.h"
#include "golden_model.h"
#include "replica_main.h"
#include "train_replica.h"

namespace batchscope::testing::adascale_replica {

using protocol::Json;

namespace {

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const Json& config,
                                                        const std::vector<at::Tensor>& parameters) {
  const double rate = config["lr"];
  if (config.value("optimizer", "sgd") == std::string("adam"))
    return std::make_unique<torch::optim::Adam>(parameters, torch::optim::AdamOptions(rate));
  return std::make_unique<torch::optim::SGD>(parameters,
                                             torch::optim::SGDOptions(rate).momentum(config["momentum"]));
}

Json play(const Json& golden, const std::string& name) {
  const Json trajectory = named(golden["trajectories"], name);
  const Json& config = trajectory["config"];
  const int accumulation = config["accum"];

  const at::Tensor x = rows(golden["x"]), y = tensor(golden["y"]);
  GoldenModel model(golden["weights"]);
  const double rate = config["lr"];
  const auto optimizer = make_optimizer(config, model.parameters());
  AdaScaleOptimizer::Options options;
  options.num_gradients_to_accumulate = accumulation;
  options.is_scaled_loss = config["is_scaled_loss"];
  options.debias_ewma = config.value("debias_ewma", true);
  if (config.value("smoothing", Json()).is_number()) options.smoothing = config["smoothing"];
  AdaScaleOptimizer adascale(*optimizer, options);

  Json steps = Json::array();
  for (const Json& step : trajectory["steps"]) {
    adascale.zero_grad();
    for (const Json& micro : step["micro_by_rank"][static_cast<std::size_t>(replica_rank())]) {
      const at::Tensor loss = model.loss(x, y, micro["samples"]);
      (options.is_scaled_loss ? loss / accumulation : loss).backward();
    }
    adascale.step();
    steps.push_back({{"gain", adascale.gain()},
                     {"lr_effective", rate * adascale.gain(0)},
                     {"effective_steps", adascale.scale_invariant_steps()}});
  }
  return {{"steps", steps}, {"smoothing", adascale.smoothing()}, {"scale", adascale.scale()}};
}

Json play_sequential(bool sharded) {
  std::vector<at::Tensor> weights;  // of layers in a row: 0, 1, 2 .. over their mean
  for (std::int64_t out = 3, in = 2; out <= 6; in = out++) {
    const at::Tensor values = at::arange(out * in, at::kFloat);
    weights.push_back((values / values.mean()).view({out, in}).set_requires_grad(true));
  }
  std::unique_ptr<torch::optim::Optimizer> optimizer =
      std::make_unique<torch::optim::SGD>(weights, torch::optim::SGDOptions(0.1));
  if (sharded) optimizer = std::make_unique<ShardedOptimizer>(std::move(optimizer));
  AdaScaleOptimizer adascale(*optimizer, {});
  for (int step = 0; step < 2; ++step) {
    at::Tensor values = at::eye(2)[(step + replica_rank()) % 2];
    for (const at::Tensor& weight : weights) values = weight.matmul(values);
    adascale.zero_grad();
    values.sum().backward();
    adascale.step();
  }
  double sum = 0;
  for (const at::Tensor& weight : weights) sum += weight.mean().item<double>();
  return {{"gain", adascale.gain()}, {"mean_weight", sum / static_cast<double>(weights.size())}};
}

at::Tensor zero() { return at::zeros({1}, at::kDouble).set_requires_grad(true); }

Json play_added(bool sharded) {
  const int micro_batches = 2 / num_replicas();
  std::vector<at::Tensor> parameters{zero()};
  std::unique_ptr<torch::optim::Optimizer> optimizer =
      std::make_unique<torch::optim::SGD>(parameters, torch::optim::SGDOptions(0.5).momentum(0.9));
  if (sharded) optimizer = std::make_unique<ShardedOptimizer>(std::move(optimizer));
  AdaScaleOptimizer adascale(std::move(optimizer), {.num_gradients_to_accumulate = micro_batches});
  Json gains = Json::array();
  for (int step = 0; step < 3; ++step) {
    if (step == 1) {
      parameters.push_back(zero());
      adascale.add_param_group(torch::optim::OptimizerParamGroup({parameters.back()}));
    }
    adascale.zero_grad();
    for (int i = 0; i < micro_batches; ++i) {
      at::Tensor loss = at::zeros({1}, at::kDouble);
      for (std::size_t p = 0; p < parameters.size(); ++p)
        loss = loss + parameters[p] * (i + replica_rank() == 0 ? 3.0 + step : 1.0 + 4.0 * p);
      (loss / micro_batches).sum().backward();
    }
    adascale.step();
    gains.push_back({adascale.gain(), adascale.gain(parameters.size() - 1)});
  }
  Json values = Json::array();
  for (const at::Tensor& parameter : parameters) values.push_back(parameter.item<double>());
  return {{"gains", gains}, {"values", values}};
}

// These exchange nothing, and one that ends would be missed by another that still meets it.
void wait_for_others() { collective::barrier("all are there"); }

Json play_alone() {
  const at::Tensor parameter = zero();
  AdaScaleOptimizer adascale(std::make_unique<torch::optim::SGD>(std::vector<at::Tensor>{parameter}, 0.5),
                             {.num_gradients_to_accumulate = 2, .world_size = 1});
  for (const double gradient : {3.0, 1.0}) (parameter * (gradient + 3 * replica_rank()) / 2).sum().backward();
  adascale.step();
  return {{"gain", adascale.gain()}, {"value", parameter.item<double>()}};
}

Json play_world(int size) {
  const AdaScaleOptimizer adascale(std::make_unique<torch::optim::SGD>(std::vector<at::Tensor>{zero()}, 0.5),
                                   {.num_gradients_to_accumulate = 2, .world_size = size});
  return {{"scale", adascale.scale()}};
}

}  // namespace

int run(int, char** arguments) {
  const std::string what = arguments[1];
  if (what == "added")
    return replica_main([&] { return play_added(arguments[2] == std::string("sharded")); });
  if (what == "alone")
    return replica_main([] {
      wait_for_others();
      return play_alone();
    });
  if (what == "world")
    return replica_main([&] {
      wait_for_others();
      return play_world(std::stoi(arguments[2]));
    });
  if (what == "sequential")
    return replica_main([&] { return play_sequential(arguments[2] == std::string("sharded")); });
  std::ifstream file(arguments[1]);
  const Json golden = Json::parse(file);
  return replica_main([&] { return play(golden, arguments[2]); });
}

}  // namespace batchscope::testing::adascale_replica
