// SPDX-License-Identifier: Apache-2.0
//
// Trains a recorded trajectory of gns.json on its data, through the shipped AdaptiveDataParallel, and prints
// what it computed at every step.
//   train-noise-replica GNS_JSON TRAJECTORY
#include <ATen/ATen.h>
#include <torch/optim/sgd.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "batchscope/goodput/noise_scale.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "golden_model.h"
#include "replica_main.h"
#include "steps.h"

using namespace batchscope;
using namespace batchscope::testing;
using protocol::Json;

namespace {

Json play(const Json& golden, const std::string& name) {
  const Json trajectory = named(golden["trajectories"], name);
  const Json& config = trajectory["config"];

  const at::Tensor x = rows(golden["x"]), y = tensor(golden["y"]);
  GoldenModel model(golden["weights"]);
  const auto parameters = model.parameters();
  const auto options = [&](std::size_t group) {
    return std::make_unique<torch::optim::SGDOptions>(
        torch::optim::SGDOptions(config["lrs"][group]).momentum(config["momentum"]));
  };
  std::vector<torch::optim::OptimizerParamGroup> groups;
  if (config["groups"] == 1) {
    groups.emplace_back(parameters, options(0));
  } else {
    groups.emplace_back(model.first->parameters(), options(0));
    groups.emplace_back(model.second->parameters(), options(1));
  }
  torch::optim::SGD optimizer(groups, torch::optim::SGDOptions(0.05));
  AdaptiveDataParallel adp(model, optimizer);

  Json steps = Json::array();
  for (const Json& step : trajectory["steps"]) {
    const Json& micro_batches = step["micro_by_rank"][static_cast<std::size_t>(replica_rank())];
    // Not accum_steps: at the end of an epoch AdaptDL's loader has already changed it.
    const int accumulation = step["accum_count"].get<int>() - 1;
    make_step(adp, config["init_batch_size"], step["atomic_bsz"], accumulation, [&](int micro) {
      return model.loss(x, y, micro_batches[static_cast<std::size_t>(micro)]["samples"]);
    });
    const goodput::NoiseScale& noise = adp.noise_scale();
    const goodput::NormSample& norms = adp.norms();
    steps.push_back({{"local_sqr_sum", norms.local_sqr},
                     {"avg_grad_sqr", norms.total_sqr},
                     {"prev_grad_sqr", norms.previous_sqr},
                     {"mean_of_two_grads_sqr", norms.mean_of_two_sqr},
                     {"count", norms.count},
                     {"scale", norms.scale},
                     {"raw_sqr_avg", noise.sqr_by_group()},
                     {"raw_var_avg", noise.var_by_group()},
                     {"sqr_avg", noise.sqr()},
                     {"var_avg", noise.var()},
                     {"biased_flag", noise.biased()},
                     {"gain", adp.gain()},
                     {"lr_factor", adp.lr_factor()},
                     {"progress_after", adp.progress()}});
  }
  return {{"steps", steps}, {"weights", contents(model.parameters())}};
}

}  // namespace

int main(int, char** arguments) {
  std::ifstream file(arguments[1]);
  const Json golden = Json::parse(file);
  return replica_main([&] { return play(golden, arguments[2]); });
}
