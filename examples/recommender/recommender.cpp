// SPDX-License-Identifier: Apache-2.0
//
// Neural collaborative filtering (He et al. 2017): ratings teach it what users will like. Users and items
// are vectors; their product (matrix factorisation) and a small network over both together give a score.
// Trained with Adam and so with AdamScale: the noise scale is that of preconditioned gradients. Each pair is
// trained together with items drawn at random, which count as not liked. The metric is the hit rate: how
// often the item that was kept from training is among the best ten of itself and 99 random ones.
#include <torch/nn/init.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>

#include "batchscope/train.h"
#include "program.h"
#include "ratings.h"
#include "scaling.h"

namespace batchscope::examples {
namespace {

namespace nn = torch::nn;

struct Options {
  int epochs = 20;
  double lr = 1e-3;
  std::int64_t size = 16, users = 1500, items = 800, negatives = 4;
  std::uint64_t seed = 0;
  std::string data;
  ScalingOptions scaling{.batch_size = 128, .max_batch_size = 8192};
};

class Recommender : public nn::Module {
 public:
  Recommender(std::int64_t users, std::int64_t items, std::int64_t size)
      : users_(users, 2 * size),
        items_(items, 2 * size),
        deep_(nn::Linear(2 * size, 2 * size), nn::ReLU(), nn::Linear(2 * size, size), nn::ReLU()),
        output_(2 * size, 1),
        size_(size) {
    register_module("users", users_), register_module("items", items_);
    register_module("deep", deep_), register_module("output", output_);
    nn::init::normal_(users_->weight, 0, 0.05), nn::init::normal_(items_->weight, 0, 0.05);
  }

  // Maps the numbers of users and items, of one shape, to as many scores: above 0 for liked.
  at::Tensor forward(const at::Tensor& user, const at::Tensor& item) {
    const at::Tensor u = users_(user), i = items_(item);
    const at::Tensor product = u.narrow(-1, 0, size_) * i.narrow(-1, 0, size_);
    const at::Tensor deep =
        deep_->forward(at::cat({u.narrow(-1, size_, size_), i.narrow(-1, size_, size_)}, -1));
    return output_(at::cat({product, deep}, -1)).squeeze(-1);
  }

 private:
  nn::Embedding users_, items_;
  nn::Sequential deep_;
  nn::Linear output_;
  std::int64_t size_;
};

double hit_rate(Recommender& model, AdaptiveDataLoader& loader, Accumulator<>& sums) {
  const at::NoGradGuard no_grad;
  for (auto& batch : loader) {
    const at::Tensor rivals = batch.target.to(replica_device());  // after the item itself
    const at::Tensor users = batch.data.to(replica_device()).unsqueeze(1).expand_as(rivals);
    const at::Tensor scores = model.forward(users, rivals);
    const at::Tensor better = (scores > scores.narrow(1, 0, 1)).sum(1);
    sums["hits"] += better.lt(10).sum().item<double>();
    sums["count"] += static_cast<double>(batch.size());
  }
  auto total = sums.synchronized();
  sums.clear();
  return total["hits"] / total["count"];
}

void train(const Options& options, const std::map<std::string, std::string>& hyperparameters) {
  const Ratings ratings = options.data.empty() ? drawn_ratings(options.seed, options.users, options.items)
                                               : read_ratings(options.data);
  init_process_group();
  record_hyperparameters(hyperparameters);
  at::manual_seed(options.seed);
  const TensorDataset training(at::tensor(ratings.user), at::tensor(ratings.item));
  const at::Tensor kept = at::tensor(ratings.test_item).unsqueeze(1);
  const at::Tensor rivals =
      at::randint(ratings.items, {kept.size(0), 99}, kept.options());  // the same everywhere
  const TensorDataset test(at::tensor(ratings.test_user), at::cat({kept, rivals}, 1));
  AdaptiveDataLoader loader(training, {.batch_size = options.scaling.batch_size, .shuffle = true});
  AdaptiveDataLoader test_loader(test, {.batch_size = 256, .training = false});

  const auto device = replica_device();
  Recommender model(ratings.users, ratings.items, options.size);
  model.to(device);
  torch::optim::Adam optimizer(model.parameters(), torch::optim::AdamOptions(options.lr));
  Scaling scaling(options.scaling, training.size(), options.epochs, optimizer);
  scaling.apply(loader);
  AdaptiveDataParallel adp(model, optimizer, scaling.schedule(), scaling.parallel());
  Accumulator sums;

  for (const int epoch : remaining_epochs_until(options.epochs)) {
    for (auto& batch : loader) {
      const at::Tensor liked = batch.target.to(device).unsqueeze(1);
      const at::Tensor others =
          at::randint(ratings.items, {liked.size(0), options.negatives}, liked.options());
      const at::Tensor items = at::cat({liked, others}, 1);
      const at::Tensor users = batch.data.to(device).unsqueeze(1).expand_as(items);
      at::Tensor wanted = at::zeros(items.sizes(), at::device(device));
      wanted.narrow(1, 0, 1).fill_(1);
      adp.zero_grad();
      const at::Tensor loss = at::binary_cross_entropy_with_logits(model.forward(users, items), wanted);
      loss.backward();
      record("loss", loss.item<double>());
      adp.step();
      scaling.step(adp);
    }
    const double reached = hit_rate(model, test_loader, sums);
    record("hit_rate", reached);
    print_line("epoch %2d of %d   hit rate %.4f   gain %.2f   %s", epoch + 1, options.epochs, reached,
               adp.gain(), batch_text(loader.current_batch_size()).c_str());
  }
}

}  // namespace
}  // namespace batchscope::examples

int main(int argc, char** argv) {
  using namespace batchscope::examples;
  Program program("recommender", "Learns from ratings what users will like.",
                  R"(  recommender
  recommender --data ml-latest-small/ratings.csv      MovieLens; also ratings.dat and u.data
  batchscope run --replicas 2 recommender)");
  Options options;
  CLI::App& app = program.options();
  app.add_option("--epochs", options.epochs, "Passes over the pairs")->check(CLI::Range(1, 10'000));
  app.add_option("--lr", options.lr, "Learning rate at the start")->check(CLI::Range(1e-7, 1.0));
  app.add_option("--size", options.size, "Size of the vectors of users and items")
      ->check(CLI::Range(1, 1024));
  app.add_option("--negatives", options.negatives, "Random items for each that was liked")
      ->check(CLI::Range(1, 100));
  app.add_option("--users", options.users, "Users to make up")->check(CLI::Range(2, 1'000'000));
  app.add_option("--items", options.items, "Items to make up")->check(CLI::Range(8, 1'000'000));
  app.add_option("--seed", options.seed, "Seed of the made-up ratings and the initial weights");
  app.add_option("--data", options.data, "A file of MovieLens ratings, instead of made-up ones");
  add_scaling_options(app, options.scaling);
  return program.run(argc, argv, [&] { train(options, program.hyperparameters()); });
}
