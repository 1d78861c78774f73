// SPDX-License-Identifier: Apache-2.0
//
// Measures how near each estimator of one replica comes to the true noise scale, while a model trains. At
// some steps the truth is computed from all of the data at the weights of then. In between, each step's batch
// is computed as two micro-batches, which serve all estimators of that run alike:
//
//   differenced            the step's gradient and the one before it, averaged as AdaptDL averages
//   differenced.tracking   the same pairs, by NoiseMode::tracking
//   split100, split5       both micro-batches of one step in 100 or 5, with AdaptDL's memory in steps
//   split1.tracking        both micro-batches of each step: the most that splitting could tell
//
// A second run takes two micro-batches of the initial batch size a step (accumulated, accumulated.tracking).
//
// `.error` is the median over steps and seeds of how far an estimate is from the truth, 1 for twice as much
// or half. `.bias` is the median of estimate over truth, its min and max the tenth and ninetieth percentiles.
// `split.cost` is what one step in 100 costs, over plain steps.
#include <ATen/ATen.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/goodput/noise_scale.h"
#include "bench.h"
#include "corpus.h"
#include "digit_data.h"
#include "grammar.h"
#include "language_model/models.h"
#include "network.h"
#include "tensors.h"

using namespace batchscope;
using goodput::NormSample, goodput::NoiseMode, goodput::NoiseScale;

namespace {

const std::vector<std::string> kModels{"linear_regression", "digits", "language_model"};
const std::vector<std::string> kEstimators{
    "differenced", "differenced.tracking", "split100", "split5", "split1.tracking",
    "accumulated", "accumulated.tracking"};

// A model with its data, its loss for some of the samples, and the settings of its example.
struct Learner {
  virtual ~Learner() = default;
  virtual at::Tensor loss(const at::Tensor& samples) = 0;

  std::shared_ptr<torch::nn::Module> model;
  std::int64_t samples = 0, batch_size = 0;
  double lr = 0, momentum = 0, clip = 0;
  int steps = 2000;

  // The mean gradient over samples, as one vector.
  at::Tensor gradient(const at::Tensor& of) {
    model->zero_grad();
    loss(of).backward();
    std::vector<at::Tensor> parts;
    for (const at::Tensor& parameter : model->parameters()) parts.push_back(parameter.grad().flatten());
    return at::cat(parts);
  }
};

struct LinearRegression final : Learner {
  LinearRegression() {
    const std::int64_t features = 16;
    x_ = at::randn({8192, features});
    at::Tensor w = at::randn({features});
    y_ = x_.mv(w / w.norm()) + 0.5 * at::randn({x_.size(0)});
    linear_ = std::make_shared<torch::nn::LinearImpl>(torch::nn::LinearOptions(features, 1).bias(false));
    model = linear_;
    samples = x_.size(0), batch_size = 16, lr = 0.0005;
  }
  at::Tensor loss(const at::Tensor& of) override {
    return at::mse_loss(linear_->forward(x_.index_select(0, of)).view(-1), y_.index_select(0, of));
  }
  std::shared_ptr<torch::nn::LinearImpl> linear_;
  at::Tensor x_, y_;
};

struct Digits final : Learner {
  Digits() {
    std::tie(images_, labels_) = digits::to_tensors(digits::drawn_digits(0).train);
    network_ = std::make_shared<digits::Network>();
    model = network_;
    samples = images_.size(0), batch_size = 32, lr = 0.01, momentum = 0.9;
  }
  at::Tensor loss(const at::Tensor& of) override {
    return at::cross_entropy_loss(network_->forward(images_.index_select(0, of)),
                                  labels_.index_select(0, of));
  }
  std::shared_ptr<digits::Network> network_;
  at::Tensor images_, labels_;
};

// Windows of a text in any order: without the state that the example carries from one to the next.
struct Text final : Learner {
  Text() {
    constexpr std::int64_t kLength = 16;
    const auto corpus = examples::make_corpus(examples::written_text(0, 60'000), 10'000, "grammar");
    const at::Tensor text = at::tensor(corpus.train);
    const std::int64_t windows = (text.size(0) - 1) / kLength;
    words_ = text.slice(0, 0, windows * kLength).view({windows, kLength});
    next_ = text.slice(0, 1, windows * kLength + 1).view({windows, kLength});
    lstm_ = std::make_shared<examples::Lstm>(std::ssize(corpus.vocabulary), examples::ModelOptions{});
    model = lstm_;
    samples = windows, batch_size = 8, lr = 0.5, momentum = 0.9, clip = 1;
    steps = 1000;
  }
  at::Tensor loss(const at::Tensor& of) override {
    lstm_->forget();
    const at::Tensor scores =
        lstm_->forward(words_.index_select(0, of).t(), at::zeros({of.size(0)}, at::kBool));
    return at::cross_entropy_loss(scores.flatten(0, 1), next_.index_select(0, of).t().flatten());
  }
  std::shared_ptr<examples::Lstm> lstm_;
  at::Tensor words_, next_;
};

std::unique_ptr<Learner> make(const std::string& model, int seed) {
  at::manual_seed(static_cast<std::uint64_t>(seed));
  if (model == "digits") return std::make_unique<Digits>();
  if (model == "language_model") return std::make_unique<Text>();
  return std::make_unique<LinearRegression>();
}

double squared_norm(const at::Tensor& gradient) { return gradient.square().sum().item<double>(); }

NormSample of_several(const std::vector<at::Tensor>& gradients, const at::Tensor& mean, double scale) {
  double local = 0;
  for (const at::Tensor& gradient : gradients) local += squared_norm(gradient);
  return {{local}, {squared_norm(mean)}, static_cast<int>(gradients.size()), scale, {}, {}};
}

double noise_scale(const NoiseScale& noise, const Learner& learner) {
  return static_cast<double>(learner.batch_size) * noise.var() / std::max(noise.sqr(), 1e-12);
}

// Returns the noise scale that all of the data have, as far as they fill batches.
double truth(Learner& learner) {
  const std::int64_t width = 100;
  std::vector<at::Tensor> gradients;
  at::Tensor sum;
  for (std::int64_t from = 0; from + width <= learner.samples; from += width) {
    gradients.push_back(learner.gradient(at::arange(from, from + width)));
    sum = sum.defined() ? sum + gradients.back() : gradients.back();
  }
  const auto count = static_cast<double>(gradients.size());
  NoiseScale noise(1);
  noise.update(of_several(gradients, sum / count,
                          count * static_cast<double>(width) / static_cast<double>(learner.batch_size)));
  return noise_scale(noise, learner);
}

// An estimator, and which steps it sees.
struct Estimator {
  std::string name;
  NoiseScale noise;
  int every = 1;
  bool pairs = false;
};

Estimator split(const std::string& name, int every) {
  return {name, NoiseScale(1, {.smoothing = std::pow(0.999, every)}), every};
}

std::vector<Estimator> estimators(bool accumulates) {
  const goodput::NoiseOptions tracking{.mode = NoiseMode::tracking};
  if (accumulates) return {{"accumulated", NoiseScale(1)}, {"accumulated.tracking", NoiseScale(1, tracking)}};
  return {{"differenced", NoiseScale(1), 1, true},
          {"differenced.tracking", NoiseScale(1, tracking), 1, true},
          split("split100", 100),
          split("split5", 5),
          {"split1.tracking", NoiseScale(1, tracking)}};
}

// The quotients of estimate and truth, by estimator.
using Ratios = std::map<std::string, std::vector<double>>;

void set_gradient(Learner& learner, const at::Tensor& gradient) {
  std::int64_t from = 0;
  for (at::Tensor& parameter : learner.model->parameters()) {
    parameter.mutable_grad() = gradient.narrow(0, from, parameter.numel()).view(parameter.sizes()).clone();
    from += parameter.numel();
  }
  if (learner.clip > 0) torch::nn::utils::clip_grad_norm_(learner.model->parameters(), learner.clip);
}

// Trains with AdaScale's rate, which falls along a cosine after a warm-up.
void train(const std::string& model, int seed, bool accumulates, bool rehearses, Ratios& ratios) {
  const auto learner = make(model, seed);
  torch::optim::SGD optimizer(learner->model->parameters(),
                              torch::optim::SGDOptions(learner->lr).momentum(learner->momentum));
  const std::int64_t micro = accumulates ? learner->batch_size : learner->batch_size / 2;
  const double scale = accumulates ? 2 : 1;
  const int steps = rehearses ? 20 : learner->steps;
  std::vector<Estimator> all = estimators(accumulates);
  at::Tensor previous, order;
  std::int64_t position = learner->samples;
  for (int step = 0; step < steps; ++step) {
    if (position + 2 * micro > learner->samples) {
      order = at::randperm(learner->samples, at::kLong);
      position = 0;
    }
    const at::Tensor samples = order.narrow(0, std::exchange(position, position + 2 * micro), 2 * micro);
    const std::vector<at::Tensor> two{learner->gradient(samples.narrow(0, 0, micro)),
                                      learner->gradient(samples.narrow(0, micro, micro))};
    const at::Tensor mean = (two[0] + two[1]) / 2;
    for (Estimator& estimator : all) {
      if (step % estimator.every != 0) continue;
      if (!estimator.pairs)
        estimator.noise.update(of_several(two, mean, scale));
      else if (previous.defined())
        estimator.noise.update({{squared_norm(mean)},
                                {squared_norm(mean)},
                                1,
                                scale,
                                {squared_norm(previous)},
                                {squared_norm((mean + previous) / 2)}});
    }
    previous = mean;
    const double done = static_cast<double>(step) / learner->steps;
    const double gain = accumulates ? all[0].noise.gain(scale) : 1;
    optimizer.param_groups().front().options().set_lr(
        gain * learner->lr * (1 + std::cos(std::numbers::pi * done)) / 2 * std::min(done / 0.055, 1.0));
    set_gradient(*learner, mean);
    optimizer.step();
    const std::set<int> looks{99, 199, 299, 499, 749, 999, 1499, 1999};
    if (!looks.contains(step) && step + 1 != steps) continue;
    const double known = truth(*learner);
    for (const Estimator& estimator : all)
      ratios[estimator.name].push_back(std::clamp(noise_scale(estimator.noise, *learner) / known, 1e-3, 1e3));
  }
}

// Returns the cost of one split step in a hundred, over plain steps, of each run; in seconds of the
// processor, as halves and wholes take turns.
std::vector<double> split_costs(const std::string& model, int runs) {
  const auto learner = make(model, 0);
  const at::Tensor whole = at::arange(learner->batch_size);
  const std::int64_t half = learner->batch_size / 2;
  const auto ticks = [&](std::int64_t from, std::int64_t count) {
    const std::clock_t began = std::clock();
    bench::keep(learner->gradient(whole.narrow(0, from, count)));
    return static_cast<double>(std::clock() - began);
  };
  std::vector<double> costs;
  for (int run = 0; run < runs; ++run) {
    double one = 0, two = 0;
    for (int turn = 0; turn < 100; ++turn) {
      one += ticks(0, learner->batch_size);
      two += ticks(0, half) + ticks(half, half);
    }
    costs.push_back((two / one - 1) / 100);
  }
  return costs;
}

double quantile(std::vector<double> values, double at) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(at * static_cast<double>(values.size() - 1) + 0.5)];
}

void print(const std::string& name, const std::vector<double>& values, double lowest, double highest,
           const nlohmann::ordered_json& goal) {
  nlohmann::ordered_json line;
  line["name"] = name;
  line["value"] = quantile(values, 0.5);
  line["unit"] = "ratio";
  line["better"] = "lower";
  line["goal"] = goal;
  line["runs"] = values.size();
  line["min"] = quantile(values, lowest);
  line["max"] = quantile(values, highest);
  std::puts(line.dump().c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  at::set_num_threads(1);  // which is the faster way for batches so small
  const std::set<std::string> arguments(argv + 1, argv + argc);
  const auto wanted = [&](const std::string& name) { return arguments.empty() || arguments.contains(name); };
  const char* const asked = std::getenv("BATCHSCOPE_BENCH_RUNS");
  const bool rehearses = std::getenv("BATCHSCOPE_REHEARSE");
  const int seeds = rehearses ? 1 : asked ? std::max(1, std::atoi(asked)) : 3;
  for (const std::string& model : kModels) {
    const std::string prefix = "noise." + model + ".";
    if (arguments.contains("--list")) {
      for (const std::string& estimator : kEstimators)
        for (const char* const what : {".error", ".bias"}) std::puts((prefix + estimator + what).c_str());
      std::puts((prefix + "split.cost").c_str());
      continue;
    }
    const auto any_of = [&](std::size_t from, std::size_t to) {
      return std::any_of(kEstimators.begin() + from, kEstimators.begin() + to, [&](const std::string& name) {
        return wanted(prefix + name + ".error") || wanted(prefix + name + ".bias");
      });
    };
    Ratios ratios;
    for (int seed = 0; seed < seeds; ++seed) {
      if (any_of(0, 5)) train(model, seed, false, rehearses, ratios);
      if (any_of(5, 7)) train(model, seed, true, rehearses, ratios);
    }
    for (const std::string& name : kEstimators) {
      if (!ratios.contains(name)) continue;
      std::vector<double> errors;
      for (const double ratio : ratios[name]) errors.push_back(std::max(ratio, 1 / ratio) - 1);
      if (wanted(prefix + name + ".error")) print(prefix + name + ".error", errors, 0, 1, nullptr);
      if (wanted(prefix + name + ".bias")) print(prefix + name + ".bias", ratios[name], 0.1, 0.9, nullptr);
    }
    if (wanted(prefix + "split.cost")) print(prefix + "split.cost", split_costs(model, seeds), 0, 1, 0.01);
  }
}
