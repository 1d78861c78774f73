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

#include "adapt/step_context.h"
#include "batchscope/goodput/noise_scale.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "golden_model.h"
#include "replica_main.h"

using namespace batchscope;
using namespace batchscope::replica;
using namespace batchscope::testing;
using protocol::Json;

namespace {

Json weights_of(const GoldenModel& model) {
  Json all;
  for (const at::Tensor& parameter : model.parameters()) {
    const at::Tensor flat = parameter.detach().reshape(-1).to(at::kDouble);
    all.push_back(std::vector<double>(flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()));
  }
  return all;
}

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
    StepContext& context = step_context();
    context.initial_batch_size = config["init_batch_size"];
    context.local_batch_size = step["atomic_bsz"];
    context.accumulation_steps = step["accum_steps"];
    context.samples = 0;
    const Json& micro_batches = step["micro_by_rank"][static_cast<std::size_t>(replica_rank())];
    for (int micro = 0; micro <= context.accumulation_steps; ++micro) {
      context.micro_step = micro;
      context.optimizer_step = micro == context.accumulation_steps;
      context.samples += context.local_batch_size * num_replicas();
      const auto ids =
          micro_batches[static_cast<std::size_t>(micro)]["samples"].get<std::vector<std::int64_t>>();
      const at::Tensor index = at::tensor(ids, at::kLong);
      adp.zero_grad();
      const at::Tensor error = model.forward(x.index_select(0, index)).squeeze(1) - y.index_select(0, index);
      error.square().mean().backward();
      adp.step();
    }
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
  return {{"steps", steps}, {"weights", weights_of(model)}};
}

}  // namespace

int main(int, char** arguments) {
  std::ifstream file(arguments[1]);
  const Json golden = Json::parse(file);
  return replica_main([&] { return play(golden, arguments[2]); });
}
