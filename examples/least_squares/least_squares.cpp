// SPDX-License-Identifier: Apache-2.0
//
// A trainer in plain C++: it computes its model, gradient and update itself over doubles, and links only
// engine/replica, no tensor library. It fits w in y = x.w + e to drawn samples by stochastic gradient
// descent. The loss of a sample is (x.w - y)^2, its gradient 2 (x.w - y) x. Everything else is as in any
// elastic program: it can be rescaled, stopped and resumed at any step, and goodput chooses its batch size.
#include "batchscope/replica.h"

#include <cmath>
#include <istream>
#include <ostream>
#include <random>
#include <span>
#include <vector>

#include "program.h"

namespace batchscope::examples {
namespace {

struct Options {
  int epochs = 20;
  double lr = 0.001, noise = 0.5;
  std::int64_t samples = 8192, features = 16, batch_size = 16, max_batch_size = 1024;
  bool no_autoscale = false;
  int micro_batches = 0;
  std::uint64_t seed = 0;
};

// x ~ N(0, I), y = x.w + e with |w| = 1 and e ~ N(0, noise^2)
class Samples {
 public:
  explicit Samples(const Options& options) : features_(static_cast<std::size_t>(options.features)) {
    std::mt19937_64 generator(options.seed);
    std::normal_distribution<double> normal;
    std::vector<double> w(features_);
    for (double& number : w) number = normal(generator);
    const double length = std::sqrt(dot(w, w));
    for (double& number : w) number /= length;
    for (std::int64_t i = 0; i < options.samples; ++i) {
      for (std::size_t k = 0; k < features_; ++k) x_.push_back(normal(generator));
      y_.push_back(dot(x(i), w) + options.noise * normal(generator));
    }
  }

  double residual(std::int64_t i, const std::vector<double>& w) const {
    return dot(x(i), w) - y_[static_cast<std::size_t>(i)];
  }
  std::span<const double> x(std::int64_t i) const {
    return {x_.data() + static_cast<std::size_t>(i) * features_, features_};
  }

 private:
  static double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
  }

  std::size_t features_;
  std::vector<double> x_, y_;
};

class Weights final : public checkpoint::State {
 public:
  explicit Weights(std::int64_t count) : State("weights"), values(static_cast<std::size_t>(count)) {}
  void save(std::ostream& out) override { out << to_bytes(values); }
  void load(std::istream& in) override {
    values = from_bytes<std::vector<double>>(std::string(std::istreambuf_iterator<char>(in), {}));
  }

  std::vector<double> values;
};

// Returns the mean loss of these samples.
double add_mean_gradient(const Samples& samples, const std::vector<std::int64_t>& ids,
                         const std::vector<double>& w, std::vector<double>& gradient) {
  double loss = 0;
  const auto count = static_cast<double>(ids.size());
  for (const std::int64_t id : ids) {
    const double residual = samples.residual(id, w);
    loss += residual * residual / count;
    const auto x = samples.x(id);
    for (std::size_t k = 0; k < w.size(); ++k) gradient[k] += 2 * residual * x[k] / count;
  }
  return loss;
}

void train(const Options& options, const std::map<std::string, std::string>& hyperparameters) {
  init_replica();
  record_hyperparameters(hyperparameters);
  const Samples samples(options);

  AdaptiveDataLoaderHelper loader(
      {.size = options.samples, .batch_size = options.batch_size, .shuffle = true});
  if (options.micro_batches > 0)
    loader.scale_by_replicas(options.micro_batches, false);
  else if (!options.no_autoscale)
    loader.autoscale_batch_size(options.max_batch_size, {}, true);
  AdaptiveDataLoaderHelper validation({.size = options.samples, .batch_size = 1024, .training = false});
  Weights weights(options.features);
  checkpoint::load_state(weights);
  std::vector<double>& w = weights.values;
  GradientAverage average(w.size());
  Accumulator errors;

  for (const int epoch : remaining_epochs_until(options.epochs)) {
    for (auto loop = loader.loop(); !loop.done(); loop.advance()) {
      std::vector<double> gradient(w.size());
      record("loss", add_mean_gradient(samples, loop.pass()->ids(loop.number()), w, gradient));
      const auto step = average.add(gradient);
      if (!step) continue;
      const double rate = options.lr * step->gain;
      for (std::size_t k = 0; k < w.size(); ++k) w[k] -= rate * step->gradient[k];
      average.finish(rate);
    }
    for (auto loop = validation.loop(); !loop.done(); loop.advance())
      for (const std::int64_t id : loop.pass()->ids(loop.number()))
        errors["square"] += std::pow(samples.residual(id, w), 2);
    const double error = errors.synchronized()["square"] / static_cast<double>(options.samples);
    errors.clear();
    record("validation_loss", error);
    print_line("epoch %2d of %d   error %.4f   batch %4lld", epoch + 1, options.epochs, error,
               static_cast<long long>(loader.current_batch_size()));
  }
}

}  // namespace
}  // namespace batchscope::examples

int main(int argc, char** argv) {
  using namespace batchscope::examples;
  Program program("least_squares", "Trains elastically, without any tensor library.",
                  R"(  least_squares --micro-batches 8
  batchscope run --replicas 2 least_squares)");
  Options options;
  CLI::App& app = program.options();
  app.add_option("--epochs", options.epochs, "Passes over the samples")->check(CLI::Range(1, 10'000));
  app.add_option("--lr", options.lr, "Learning rate at the initial batch size")->check(CLI::Range(1e-6, 1.0));
  app.add_option("--samples", options.samples, "Samples to draw")->check(CLI::Range(2, 10'000'000));
  app.add_option("--features", options.features, "Features of a sample")->check(CLI::Range(1, 10'000));
  app.add_option("--noise", options.noise, "Standard deviation of the noise in the samples");
  app.add_option("--seed", options.seed, "Seed of the drawn samples");
  app.add_option("--batch-size", options.batch_size, "Initial batch size, over all replicas")
      ->check(CLI::Range(1, 60'000));
  app.add_option("--max-batch-size", options.max_batch_size, "Largest batch size that goodput may choose")
      ->check(CLI::Range(1, 60'000));
  app.add_flag("--no-autoscale", options.no_autoscale, "Keep the initial batch size");
  app.add_option("--micro-batches", options.micro_batches,
                 "Fix the scale: take this many micro-batches of the initial size per step on each replica")
      ->check(CLI::Range(0, 4096));
  return program.run(argc, argv, [&] { train(options, program.hyperparameters()); });
}
