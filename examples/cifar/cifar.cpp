// SPDX-License-Identifier: Apache-2.0
//
// Trains ResNet-18 on CIFAR-10 elastically, as the AdaScale paper does: SGD with momentum and weight decay,
// pictures shifted and mirrored at random. On a GPU --bf16 gives mixed precision. On a CPU take a smaller
// --width.
#include <torch/optim/sgd.h>

#include "batchscope/train.h"
#include "pictures.h"
#include "program.h"
#include "resnet18.h"
#include "scaling.h"

namespace batchscope::examples {
namespace {

struct Options {
  int epochs = 30;
  double lr = 0.1, momentum = 0.9, weight_decay = 5e-4;
  std::int64_t width = 64, train_images = 5'000, test_images = 1'000;
  std::uint64_t seed = 0;
  bool bf16 = false;
  std::string data;
  ScalingOptions scaling{.batch_size = 128, .max_batch_size = 8192};
};

TensorDataset to_dataset(const Pictures& pictures) {
  return {at::tensor(pictures.pixels).view({-1, 3, 32, 32}), at::tensor(pictures.labels).to(at::kLong)};
}

at::Tensor normalised(const at::Tensor& bytes) { return (bytes.to(at::kFloat) - 121) / 64; }

// Mirrors each picture or not, and moves it by up to 4 pixels in both directions, over a border of zeros.
at::Tensor augmented(const at::Tensor& images) {
  const auto n = images.size(0);
  const auto numbers = images.options().dtype(at::kLong);
  const at::Tensor mirrored = at::randint(2, {n, 1, 1}, numbers).to(at::kBool);
  const at::Tensor place = at::arange(32, numbers);
  const at::Tensor row = at::randint(9, {n, 1, 1}, numbers) + place.view({1, 32, 1});
  const at::Tensor column = at::randint(9, {n, 1, 1}, numbers) +
                            at::where(mirrored, place.flip(0).view({1, 1, 32}), place.view({1, 1, 32}));
  const at::Tensor padded = at::constant_pad_nd(images, {4, 4, 4, 4}).permute({0, 2, 3, 1});  // channels last
  const at::Tensor picture = at::arange(n, numbers).view({n, 1, 1});
  // Not channels last: oneDNN would write beyond the workspace of a strided 1 x 1 convolution of fewer than
  // 16 channels, which a small --width has (https://github.com/uxlfoundation/oneDNN/issues/6035).
  return padded.index({picture, row, column}).permute({0, 3, 1, 2}).contiguous();
}

double accuracy(ResNet18& network, AdaptiveDataLoader& loader, Accumulator<>& sums) {
  const at::NoGradGuard no_grad;
  network.eval();
  for (auto& batch : loader) {
    const auto scores = network.forward(normalised(batch.data.to(replica_device())));
    sums["correct"] += scores.argmax(1).eq(batch.target.to(replica_device())).sum().item<double>();
    sums["count"] += static_cast<double>(batch.size());
  }
  auto total = sums.synchronized();
  sums.clear();
  return total["correct"] / total["count"];
}

void train(const Options& options, const std::map<std::string, std::string>& hyperparameters) {
  const PictureData data =
      options.data.empty() ? PictureData{draw_pictures(options.seed, 0, std::size_t(options.train_images)),
                                         draw_pictures(options.seed, 1, std::size_t(options.test_images))}
                           : load_pictures(options.data);
  init_process_group();
  record_hyperparameters(hyperparameters);
  at::manual_seed(options.seed);
  const auto training = to_dataset(data.train), test = to_dataset(data.test);
  AdaptiveDataLoader loader(training, {.batch_size = options.scaling.batch_size, .shuffle = true});
  AdaptiveDataLoader test_loader(test, {.batch_size = 500, .training = false});

  const auto device = replica_device();
  ResNet18 network(options.width);
  network.to(device);
  torch::optim::SGD optimizer(
      network.parameters(),
      torch::optim::SGDOptions(options.lr).momentum(options.momentum).weight_decay(options.weight_decay));
  Scaling scaling(options.scaling, training.size(), options.epochs, optimizer);
  scaling.apply(loader);
  AdaptiveDataParallel adp(network, optimizer, scaling.schedule(), scaling.parallel());
  Accumulator sums;

  for (const int epoch : remaining_epochs_until(options.epochs)) {
    network.train();
    for (auto& batch : loader) {
      adp.zero_grad();
      at::Tensor loss;
      {
        const Autocast autocast(device, at::kBFloat16, options.bf16);
        const auto scores = network.forward(augmented(normalised(batch.data.to(device))));
        loss = at::cross_entropy_loss(scores.to(at::kFloat), batch.target.to(device));
      }
      loss.backward();
      record("loss", loss.item<double>());
      adp.step();
      scaling.step(adp);
    }
    const double reached = accuracy(network, test_loader, sums);
    record("accuracy", reached);
    print_line("epoch %3d of %d   accuracy %.4f   %s", epoch + 1, options.epochs, reached,
               batch_text(loader.current_batch_size()).c_str());
  }
}

}  // namespace
}  // namespace batchscope::examples

int main(int argc, char** argv) {
  using namespace batchscope::examples;
  Program program("cifar", "Trains ResNet-18 on CIFAR-10, or on drawn pictures.",
                  R"(  cifar --data cifar-10-batches-bin --bf16   on a GPU
  cifar --width 8 --epochs 5                 on a CPU, in minutes
  batchscope run --replicas 2 cifar -- --width 8)");
  Options options;
  CLI::App& app = program.options();
  app.add_option("--epochs", options.epochs, "Passes over the pictures")->check(CLI::Range(1, 10'000));
  app.add_option("--width", options.width, "Channels of the first stage; 64 in the paper")
      ->check(CLI::Range(1, 512));
  app.add_option("--lr", options.lr, "Learning rate at the start")->check(CLI::Range(1e-6, 10.0));
  app.add_option("--momentum", options.momentum, "Momentum of SGD")->check(CLI::Range(0.0, 0.999));
  app.add_option("--weight-decay", options.weight_decay, "Weight decay of SGD")->check(CLI::Range(0.0, 1.0));
  app.add_flag("--bf16", options.bf16, "Mixed precision");
  app.add_option("--seed", options.seed, "Seed of the drawn pictures and the initial weights");
  app.add_option("--data", options.data, "Folder with CIFAR-10's binary version, instead of drawn pictures");
  app.add_option("--train-images", options.train_images, "Training pictures to draw")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--test-images", options.test_images, "Test pictures to draw")
      ->check(CLI::Range(1, 1'000'000));
  add_scaling_options(app, options.scaling);
  return program.run(argc, argv, [&] { train(options, program.hyperparameters()); });
}
