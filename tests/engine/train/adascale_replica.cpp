// SPDX-License-Identifier: Apache-2.0
//
// Trains a recorded trajectory of fairscale_adascale.json on its data through AdaScaleOptimizer, and prints
// what it computed at every step.
//   train-adascale-replica FAIRSCALE_ADASCALE_JSON TRAJECTORY
#include <ATen/ATen.h>
#include <torch/optim/sgd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "batchscope/train/adascale.h"
#include "golden_model.h"
#include "replica_main.h"

using namespace batchscope;
using namespace batchscope::testing;
using protocol::Json;

namespace {

Json play(const Json& golden, const std::string& name) {
  const Json trajectory = named(golden["trajectories"], name);
  const Json& config = trajectory["config"];
  const int accumulation = config["accum"];

  const at::Tensor x = rows(golden["x"]), y = tensor(golden["y"]);
  GoldenModel model(golden["weights"]);
  const double rate = config["lr"];
  torch::optim::SGD optimizer(model.parameters(),
                              torch::optim::SGDOptions(rate).momentum(config["momentum"]));
  AdaScaleOptimizer::Options options;
  options.num_gradients_to_accumulate = accumulation;
  options.is_scaled_loss = config["is_scaled_loss"];
  AdaScaleOptimizer adascale(optimizer, options);

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

}  // namespace

int main(int, char** arguments) {
  std::ifstream file(arguments[1]);
  const Json golden = Json::parse(file);
  return replica_main([&] { return play(golden, arguments[2]); });
}
