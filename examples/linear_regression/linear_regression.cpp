// SPDX-License-Identifier: Apache-2.0
//
// The teaching case: a model with a known gradient noise, so that the gain can be predicted on paper and
// drawn beside the gain that the engine measures while it trains.
//
// The loss of one sample is (x.w - y)^2. With its residual r = x.w - y the gradient is g = 2 r x, so over the
// whole data set
//
//   sqr = |mean g|^2        var = (mean |g|^2 - sqr) / B       (of a mean over B samples, the initial batch)
//   gain(S) = (var + sqr) / (var / S + sqr)
//
// At first w is far from the solution and all samples agree. A batch S times as large is worth little more
// than one: the gain is near 1. Near the solution only noise is left, and such a batch is worth S: the gain
// approaches S.
#include <torch/nn/init.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include "batchscope/train.h"
#include "program.h"
#include "scaling.h"
#include "table.h"

namespace batchscope::examples {
namespace {

struct Options {
  int epochs = 20;
  double lr = 0.0005, noise = 0.5;
  std::int64_t samples = 8192, features = 16;
  std::uint64_t seed = 0;
  std::string data;
  ScalingOptions scaling{.batch_size = 16, .max_batch_size = 1024};
};

// Returns all columns but the last, and the last one, each with mean 0 and variance 1.
TensorDataset from_file(const std::string& file) {
  const Table table = read_table(file);
  if (table.columns < 2)
    throw Error(ErrorKind::corrupt, file + ": at least two columns are needed; the last one is predicted");
  at::Tensor rows = at::tensor(table.values, at::kDouble).view({-1, std::int64_t(table.columns)});
  rows = (rows - rows.mean(0)) / rows.std(0, false).clamp_min(1e-12);
  return {rows.slice(1, 0, -1).to(at::kFloat).contiguous(), rows.select(1, -1).to(at::kFloat).contiguous()};
}

// x ~ N(0, I), y = x.w + e with |w| = 1 and e ~ N(0, noise^2)
TensorDataset drawn(const Options& options) {
  const at::Tensor x = at::randn({options.samples, options.features});
  at::Tensor w = at::randn({options.features});
  w /= w.norm();
  return {x, x.mv(w) + options.noise * at::randn({options.samples})};
}

double predicted_gain(const Batch& all, const at::Tensor& w, double batch_size, double scale) {
  const at::NoGradGuard no_grad;
  const at::Tensor residual = all.data.mv(w.view(-1)) - all.target;
  const at::Tensor mean = 2 * all.data.t().mv(residual) / all.count;
  const double sqr = mean.square().sum().item<double>();
  const double square = (4 * residual.square() * all.data.square().sum(1)).mean().item<double>();
  const double var = (square - sqr) / batch_size;
  return (var + sqr) / (var / scale + sqr);
}

Batch everything(const Dataset& dataset) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(dataset.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i);
  return dataset.collate(ids);
}

void train(const Options& options, const std::map<std::string, std::string>& hyperparameters) {
  init_process_group();
  record_hyperparameters(hyperparameters);
  at::manual_seed(options.seed);
  const TensorDataset dataset = options.data.empty() ? drawn(options) : from_file(options.data);
  const Batch all = everything(dataset);

  AdaptiveDataLoader loader(dataset, {.batch_size = options.scaling.batch_size, .shuffle = true});
  torch::nn::Linear model(torch::nn::LinearOptions(all.data.size(1), 1).bias(false));
  torch::nn::init::zeros_(model->weight);
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(options.lr));
  Scaling scaling(options.scaling, dataset.size(), options.epochs, optimizer);
  scaling.apply(loader);
  AdaptiveDataParallel adp(*model, optimizer, scaling.schedule(), scaling.parallel());

  for (const int epoch : remaining_epochs_until(options.epochs)) {
    double predicted = 1;
    for (auto& batch : loader) {
      adp.zero_grad();
      const auto loss = at::mse_loss(model->forward(batch.data).view(-1), batch.target);
      loss.backward();
      const auto initial = static_cast<double>(options.scaling.batch_size);
      predicted = predicted_gain(all, model->weight, initial, loader.current_batch_size() / initial);
      record("loss", loss.item<double>());
      record("predicted_gain", predicted);
      adp.step();
      scaling.step(adp);
    }
    const at::NoGradGuard no_grad;
    const double error = at::mse_loss(model->forward(all.data).view(-1), all.target).item<double>();
    record("validation_loss", error);
    print_line("epoch %2d of %d   error %.4f   batch %4lld   gain %6.2f, predicted %6.2f", epoch + 1,
               options.epochs, error, static_cast<long long>(loader.current_batch_size()), adp.gain(),
               predicted);
  }
}

}  // namespace
}  // namespace batchscope::examples

int main(int argc, char** argv) {
  using namespace batchscope::examples;
  Program program("linear_regression", "Draws the gain that theory predicts beside the measured gain.",
                  R"(  linear_regression --micro-batches 32       watch the gain rise from 1 to 32
  batchscope run --replicas 2 linear_regression
  linear_regression --data winequality-red.csv   a table of numbers, the last column is predicted)");
  Options options;
  CLI::App& app = program.options();
  app.add_option("--epochs", options.epochs, "Passes over the samples")->check(CLI::Range(1, 10'000));
  app.add_option("--lr", options.lr, "Learning rate at the start")->check(CLI::Range(1e-6, 1.0));
  app.add_option("--samples", options.samples, "Samples to draw")->check(CLI::Range(2, 10'000'000));
  app.add_option("--features", options.features, "Features of a drawn sample")->check(CLI::Range(1, 10'000));
  app.add_option("--noise", options.noise, "Standard deviation of the noise in the samples");
  app.add_option("--seed", options.seed, "Seed of the drawn samples and their order");
  app.add_option("--data", options.data, "A table of numbers instead of drawn samples: CSV or the like");
  add_scaling_options(app, options.scaling);
  return program.run(argc, argv, [&] { train(options, program.hyperparameters()); });
}
