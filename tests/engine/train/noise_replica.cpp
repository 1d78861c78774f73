// SPDX-License-Identifier: Apache-2.0
//
// Trains a trajectory that AdaptDL recorded on its data, through the shipped AdaptiveDataParallel, and prints
// what it computed at every step.
//   train-replica noise GNS_JSON TRAJECTORY
#include <ATen/ATen.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "batchscope/goodput/noise_scale.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/scaling_rule.h"
#include "golden_model.h"
#include "replica_main.h"
#include "steps.h"
#include "train_replica.h"

namespace batchscope::testing::noise_replica {

using protocol::Json;

namespace {

// AdaptDL's statistics with Adam where no rule is given: norms of plain gradients.
class PlainAdamScale : public AdamScale {
 public:
  bool preconditioned() const override { return false; }
};

std::unique_ptr<torch::optim::OptimizerOptions> options_of(const Json& config, std::size_t group) {
  const double rate = config["lrs"][group];
  if (config.value("optimizer", "sgd") == std::string("adam"))
    return std::make_unique<torch::optim::AdamOptions>(rate);
  return std::make_unique<torch::optim::SGDOptions>(
      torch::optim::SGDOptions(rate).momentum(config["momentum"]));
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(
    const Json& config, const std::vector<torch::optim::OptimizerParamGroup>& groups) {
  if (config.value("optimizer", "sgd") == std::string("adam"))
    return std::make_unique<torch::optim::Adam>(groups);
  return std::make_unique<torch::optim::SGD>(groups, torch::optim::SGDOptions(0.05));
}

AdaptiveDataParallel::Options parallel_options(const Json& config) {
  AdaptiveDataParallel::Options options;
  options.mixes_estimates = true;
  if (config.contains("rule") && config["rule"].is_null())
    options.scaling_rule = std::make_shared<PlainAdamScale>();
  return options;
}

Json play(const Json& golden, const std::string& name) {
  const Json trajectory = named(golden["trajectories"], name);
  const Json& config = trajectory["config"];

  const at::Tensor x = rows(golden["x"]), y = tensor(golden["y"]);
  GoldenModel model(golden["weights"]);
  std::vector<torch::optim::OptimizerParamGroup> groups;
  if (config["groups"] == 1) {
    groups.emplace_back(model.parameters(), options_of(config, 0));
  } else {
    groups.emplace_back(model.first->parameters(), options_of(config, 0));
    groups.emplace_back(model.second->parameters(), options_of(config, 1));
  }
  const auto optimizer = make_optimizer(config, groups);
  AdaptiveDataParallel adp(model, *optimizer, nullptr, parallel_options(config));

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

int run(int, char** arguments) {
  std::ifstream file(arguments[1]);
  const Json golden = Json::parse(file);
  return replica_main([&] { return play(golden, arguments[2]); });
}

}  // namespace batchscope::testing::noise_replica
