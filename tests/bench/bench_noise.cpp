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
//   examples               the examples of each batch, as operations tell of them (gradient/example_norms.h),
//   with
//                          AdaptDL's memory; not where a model has BatchNorm, nor under Adam
//   examples.tracking      the same by NoiseMode::tracking
//
// A second run takes two micro-batches of the initial batch size a step (accumulated, accumulated.tracking).
//
// Where a model has BatchNorm, a gradient is that of its batch: the step's is computed of the whole batch,
// beside the micro-batches', and the truth is that of batches of the initial size. Under Adam all norms, the
// truth's too, are of gradients divided by what Adam divides its steps by (gradient/preconditioner.h).
//
// `.error` is the median over steps and seeds of how far an estimate is from the truth, 1 for twice as much
// or half. `.bias` is the median of estimate over truth, its min and max the tenth and ninetieth percentiles.
// `split.cost` is what one step in 100 costs, over plain steps.
#include <ATen/ATen.h>
#include <torch/nn/utils/clip_grad.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/goodput/noise_scale.h"
#include "bench.h"
#include "gradient/example_norms.h"
#include "gradient/preconditioner.h"
#include "noise_learners.h"

using namespace batchscope;
using bench::Learner;
using goodput::NormSample, goodput::NoiseMode, goodput::NoiseScale;
using train::Preconditioner;

namespace {

const std::vector<std::string> kModels{"linear_regression", "digits", "language_model", "cifar", "dcgan"};
const std::vector<std::string> kEstimators{"differenced",
                                           "differenced.tracking",
                                           "split100",
                                           "split5",
                                           "split1.tracking",
                                           "examples",
                                           "examples.tracking",
                                           "accumulated",
                                           "accumulated.tracking"};

double squared_norm(const at::Tensor& gradient) { return gradient.square().sum().item<double>(); }

NormSample of_several(const std::vector<at::Tensor>& gradients, const at::Tensor& mean, double scale) {
  double local = 0;
  for (const at::Tensor& gradient : gradients) local += squared_norm(gradient);
  return {{local}, {squared_norm(mean)}, static_cast<int>(gradients.size()), scale, {}, {}};
}

double noise_scale(const NoiseScale& noise, const Learner& learner) {
  return static_cast<double>(learner.batch_size) * noise.var() / std::max(noise.sqr(), 1e-12);
}

// The divisor of Adam's steps, as one vector; divides nothing under another optimizer.
class Divisor {
 public:
  Divisor(Learner& learner, torch::optim::Optimizer& optimizer) {
    parameters_ = learner.model->parameters();
    if (Preconditioner::fits(optimizer)) preconditioner_.emplace(optimizer, parameters_);
  }

  // Takes the moments as the last step left them. Returns whether these are the first to divide by.
  bool follow() {
    if (!preconditioner_) return false;
    std::vector<at::Tensor> parts;
    for (std::size_t i = 0; i < parameters_.size(); ++i) parts.push_back(preconditioner_->divisor(i));
    if (parts.front().defined()) {
      for (at::Tensor& part : parts) part = part.flatten();
      divisor_ = at::cat(parts);
    }
    return preconditioner_->take_begun();
  }

  at::Tensor of(const at::Tensor& gradient) const {
    return divisor_.defined() ? gradient / divisor_ : gradient;
  }

 private:
  std::vector<at::Tensor> parameters_;
  std::optional<Preconditioner> preconditioner_;
  at::Tensor divisor_;
};

// Returns the noise scale that all of the data have, as far as they fill batches.
double truth(Learner& learner, const Divisor& divisor) {
  const std::int64_t width = learner.normalises ? learner.batch_size : 100;
  std::vector<at::Tensor> gradients;
  at::Tensor sum;
  for (std::int64_t from = 0; from + width <= learner.samples; from += width) {
    gradients.push_back(divisor.of(learner.gradient(at::arange(from, from + width))));
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
  enum { halves, pairs, examples } takes = halves;
};

Estimator split(const std::string& name, int every) {
  return {name, NoiseScale(1, {.smoothing = std::pow(0.999, every)}), every};
}

std::vector<Estimator> estimators(bool accumulates, bool examples_tell) {
  const goodput::NoiseOptions tracking{.mode = NoiseMode::tracking};
  if (accumulates) return {{"accumulated", NoiseScale(1)}, {"accumulated.tracking", NoiseScale(1, tracking)}};
  std::vector<Estimator> all{{"differenced", NoiseScale(1), 1, Estimator::pairs},
                             {"differenced.tracking", NoiseScale(1, tracking), 1, Estimator::pairs},
                             split("split100", 100),
                             split("split5", 5),
                             {"split1.tracking", NoiseScale(1, tracking)}};
  if (examples_tell) {
    all.push_back({"examples", NoiseScale(1), 1, Estimator::examples});
    all.push_back({"examples.tracking", NoiseScale(1, tracking), 1, Estimator::examples});
  }
  return all;
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

// Trains with the rate of AdaScale, under Adam of AdamScale, which falls along a cosine after a warm-up.
void train_and_compare(const std::string& model, int seed, bool accumulates, bool rehearses, Ratios& ratios) {
  const auto learner = bench::make(model, seed);
  const auto optimizer = learner->make_optimizer();
  const bool adapts = Preconditioner::fits(*optimizer);
  Divisor divisor(*learner, *optimizer);
  const std::int64_t micro = accumulates ? learner->batch_size : learner->batch_size / 2;
  const double scale = accumulates ? 2 : 1;
  const int steps = rehearses ? 20 : learner->steps;
  const bool examples_tell = !adapts && !learner->normalises;
  std::vector<Estimator> all = estimators(accumulates, examples_tell);
  train::ExampleNorms examples({learner->model->parameters()});
  at::Tensor previous, order;
  std::int64_t position = learner->samples;
  for (int step = 0; step < steps; ++step) {
    if (position + 2 * micro > learner->samples) {
      order = at::randperm(learner->samples, at::kLong);
      position = 0;
    }
    const at::Tensor samples = order.narrow(0, std::exchange(position, position + 2 * micro), 2 * micro);
    learner->train_opponent(samples);
    const at::Tensor first = learner->gradient(samples.narrow(0, 0, micro)),
                     second = learner->gradient(samples.narrow(0, micro, micro)), mean = (first + second) / 2;
    const at::Tensor whole = learner->normalises && !accumulates ? learner->gradient(samples) : mean;
    std::optional<train::ExampleNorms::Examples> told;
    if (examples_tell && !accumulates) {
      examples.expect(2 * micro);
      examples.listen();
      if (examples.listens()) learner->gradient(samples);
      told = examples.take();
    }
    const bool begins = divisor.follow();
    for (Estimator& estimator : all) {
      if (begins) estimator.noise.begin_anew();
      if (step % estimator.every != 0) continue;
      if (estimator.takes == Estimator::examples) {
        if (told)
          estimator.noise.update({told->local_sqr, told->total_sqr, told->count, scale, {}, {}}, told->steps);
      } else if (estimator.takes == Estimator::halves) {
        estimator.noise.update(of_several({divisor.of(first), divisor.of(second)}, divisor.of(mean), scale));
      } else if (previous.defined()) {
        estimator.noise.update({{squared_norm(divisor.of(whole))},
                                {squared_norm(divisor.of(whole))},
                                1,
                                scale,
                                {squared_norm(divisor.of(previous))},
                                {squared_norm(divisor.of((whole + previous) / 2))}});
      }
    }
    previous = whole;
    const double done = static_cast<double>(step) / learner->steps;
    const double gain = accumulates ? all[0].noise.gain(scale) : 1;
    optimizer->param_groups().front().options().set_lr((adapts ? std::sqrt(gain) : gain) * learner->lr *
                                                       (1 + std::cos(std::numbers::pi * done)) / 2 *
                                                       std::min(done / 0.055, 1.0));
    set_gradient(*learner, whole);
    optimizer->step();
    const std::set<int> looks{99, 199, 299, 499, 749, 999, 1499, 1999};
    if (!looks.contains(step) && step + 1 != steps) continue;
    const double known = truth(*learner, divisor);
    for (const Estimator& estimator : all)
      ratios[estimator.name].push_back(std::clamp(noise_scale(estimator.noise, *learner) / known, 1e-3, 1e3));
  }
}

// Returns the cost of one split step in a hundred, over plain steps, of each run; in seconds of the
// processor, as halves and wholes take turns.
std::vector<double> split_costs(const std::string& model, int runs) {
  const auto learner = bench::make(model, 0);
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
      if (any_of(0, 7)) train_and_compare(model, seed, false, rehearses, ratios);
      if (any_of(7, 9)) train_and_compare(model, seed, true, rehearses, ratios);
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
