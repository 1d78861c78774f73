// SPDX-License-Identifier: Apache-2.0
//
// A linear regression whose gradients' noise is known. Samples are x ~ N(0, I) and y = x.w + e, e ~ N(0,
// s^2); the loss is the mean of (x.v - y)^2 at a fixed v. With d = v - w one sample's gradient 2 x (x.d - e)
// has
//   mean        2 d
//   covariance  4 (|d|^2 + s^2) I + 4 d d'       (x.d and x_i are normal: E x_i^2 (x.d)^2 = |d|^2 + 2 d_i^2)
// so that the squared norm is sum (2 d_i / p_i)^2 and the variance at the initial batch size B is
// sum (4 (|d|^2 + s^2) + 4 d_i^2) / p_i^2 / B, where p is what Adam divides by, or 1.
//   train-replica regression '{"seeds": N, "steps": of each generation, "mode": "adaptdl" | "paper",
//     "optimizer": "sgd" | "adam", "examples": true | false, "generations": [{"replicas": N, "accumulation":
//     N, "local": N}, ...]}'
// Every seed is an instance of AdaptiveDataParallel of its own, at a learning rate of zero. With "examples"
// the noise of a lone gradient comes from the samples of its batch. Prints, for each generation, its S and
// each seed's estimates at its end, and the known ones.
#include <ATen/ATen.h>
#include <torch/nn/module.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "batchscope/goodput/noise_scale.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "forked.h"
#include "steps.h"
#include "train_replica.h"

namespace batchscope::testing::regression_program {

using protocol::Json;

namespace {

constexpr std::int64_t kInitialBatch = 32, kDimensions = 64;
constexpr double kNoise = 0.5;  // s

// d_i, and what Adam's second moments are set to: the noise is largest where Adam divides most.
double difference(std::int64_t i) { return 0.02 * static_cast<double>(1 + i % 8); }
double second_moment(std::int64_t i) { return i % 2 == 0 ? 4 : 0.25; }

struct Regression : torch::nn::Module {
  Regression() { weight = register_parameter("weight", at::zeros({1, kDimensions})); }
  at::Tensor weight;  // v, and w = -d
};

struct Known {
  double sqr = 0, var = 0;
  explicit Known(bool preconditioned) {
    double norm = 0;
    for (std::int64_t i = 0; i < kDimensions; ++i) norm += difference(i) * difference(i);
    for (std::int64_t i = 0; i < kDimensions; ++i) {
      const double d = difference(i), p_sqr = preconditioned ? second_moment(i) : 1;
      sqr += 4 * d * d / p_sqr;
      var += 4 * (norm + kNoise * kNoise + d * d) / p_sqr / kInitialBatch;
    }
  }
};

class Seed {
 public:
  Seed(int number, const Json& settings) {
    AdaptiveDataParallel::Options options;
    options.name = "seed" + std::to_string(number);
    options.noise_mode =
        settings["mode"] == "paper" ? goodput::NoiseMode::paper : goodput::NoiseMode::adaptdl;
    if (settings["optimizer"] == "adam")
      optimizer_ = std::make_unique<torch::optim::Adam>(
          model_.parameters(), torch::optim::AdamOptions(0).betas({0.9, 1 - 1e-9}).eps(1e-12));
    else
      optimizer_ =
          std::make_unique<torch::optim::SGD>(model_.parameters(), torch::optim::SGDOptions(0).momentum(0.9));
    options.noise_from_examples = settings["examples"];
    settle_moments();
    adp_ = std::make_unique<AdaptiveDataParallel>(model_, *optimizer_, nullptr, options);
    at::manual_seed(static_cast<std::uint64_t>((number * 100 + num_restarts()) * 10 + replica_rank()));
  }

  void step(int accumulation, std::int64_t local, const at::Tensor& d) {
    make_step(*adp_, kInitialBatch, local, accumulation, [&](int) {
      const at::Tensor x = at::randn({local, kDimensions});
      const at::Tensor y = -x.mv(d) + kNoise * at::randn({local});
      return (x.matmul(model_.weight.t()).squeeze(1) - y).square().mean();
    });
  }

  Json estimates() const {
    const goodput::NoiseScale& noise = adp_->noise_scale();
    return {{"sqr", noise.sqr()}, {"var", noise.var()}, {"gain", adp_->gain()}};
  }

 private:
  // Adam's moments as they are after very many steps, so that no further step changes them.
  void settle_moments() {
    model_.weight.mutable_grad() = at::zeros({1, kDimensions});
    optimizer_->step();
    auto* state = dynamic_cast<torch::optim::AdamParamState*>(optimizer_->state().begin()->second.get());
    if (!state) return;
    for (std::int64_t i = 0; i < kDimensions; ++i) state->exp_avg_sq()[0][i] = second_moment(i);
    state->step(100'000'000'000);
  }

  Regression model_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::unique_ptr<AdaptiveDataParallel> adp_;
};

Json train(const Json& settings, const Json& generation, bool saves) {
  at::Tensor d = at::empty({kDimensions});
  for (std::int64_t i = 0; i < kDimensions; ++i) d[i] = difference(i);
  const int accumulation = generation["accumulation"];
  const std::int64_t local = generation["local"];
  std::vector<std::unique_ptr<Seed>> seeds;
  Json estimates = Json::array();
  for (int number = 0; number < settings["seeds"]; ++number) {
    Seed& seed = *seeds.emplace_back(std::make_unique<Seed>(number, settings));
    for (int step = 0; step < settings["steps"]; ++step) seed.step(accumulation, local, d);
    estimates.push_back(seed.estimates());
  }
  if (saves) checkpoint::save_all_states("manual");
  return {{"estimates", estimates}};
}

}  // namespace

int run(int, char** arguments) {
  const Json settings = protocol::parse_object(arguments[1]);
  const Known known(settings["optimizer"] == "adam");
  Json generations = Json::array();
  for (const Json& generation : settings["generations"]) {
    const int number = static_cast<int>(generations.size());
    const bool last = generations.size() + 1 == settings["generations"].size();
    const Json replicas =
        fork_replicas({number, generation["replicas"]}, [&] { return train(settings, generation, !last); });
    const double count = generation["replicas"].get<int>() * (generation["accumulation"].get<int>() + 1);
    generations.push_back(
        {{"scale", count * generation["local"].get<double>() / kInitialBatch}, {"replicas", replicas}});
  }
  std::cout << Json{{"sqr", known.sqr}, {"var", known.var}, {"generations", generations}}.dump() << std::endl;
  return 0;
}

}  // namespace batchscope::testing::regression_program
