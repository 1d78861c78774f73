// SPDX-License-Identifier: Apache-2.0
//
// BatchScope's main example, and a place to start from: a small network learns handwritten digits,
// elastically. It runs alone, or on any number of replicas under `batchscope run` and in the window. It may
// be stopped at any moment and started again on another number of replicas, and continues with the next
// sample.
#include <torch/optim/sgd.h>

#include <map>
#include <string>
#include <utility>

#include "batchscope/train.h"
#include "digit_data.h"
#include "network.h"
#include "options.h"
#include "scaling.h"
#include "tensors.h"

namespace batchscope::digits {
namespace {

TensorDataset to_dataset(LabelledImages set) {
  const auto [images, labels] = to_tensors(std::move(set));
  return {images, labels};
}

struct Score {
  double loss, accuracy;
};

// Returns the score over all replicas' shares of the validation set.
Score validate(Network& network, AdaptiveDataLoader& loader, Accumulator<>& sums) {
  const auto device = replica_device();
  const at::NoGradGuard no_grad;
  network.eval();
  for (auto& batch : loader) {
    const auto target = batch.target.to(device);
    const auto scores = network.forward(batch.data.to(device));
    sums["loss"] += at::cross_entropy_loss(scores, target, {}, at::Reduction::Sum).item<double>();
    sums["correct"] += scores.argmax(1).eq(target).sum().item<double>();
    sums["count"] += static_cast<double>(batch.size());
  }
  auto total = sums.synchronized();
  sums.clear();
  return {total["loss"] / total["count"], total["correct"] / total["count"]};
}

void train(const Options& options, const std::map<std::string, std::string>& hyperparameters) {
  // Before init_process_group, where replicas are forked: the data are read once for all replicas and
  // restarts.
  auto data = options.data.empty() ? drawn_digits(options.seed) : load_digits(options.data);
  if (options.train_images > 0) keep_first(data.train, options.train_images);

  init_process_group();
  record_hyperparameters(hyperparameters);
  at::manual_seed(options.seed);
  const auto training = to_dataset(std::move(data.train)), validation = to_dataset(std::move(data.test));

  AdaptiveDataLoader loader(training, {.batch_size = options.scaling.batch_size, .shuffle = true});
  AdaptiveDataLoader validation_loader(validation, {.batch_size = 500, .training = false});

  const auto device = replica_device();
  Network network;
  network.to(device);
  torch::optim::SGD optimizer(network.parameters(),
                              torch::optim::SGDOptions(options.lr).momentum(options.momentum));
  examples::Scaling scaling(options.scaling, training.size(), options.epochs, optimizer);
  scaling.apply(loader);
  AdaptiveDataParallel adp(network, optimizer, scaling.schedule(), scaling.parallel());
  Accumulator sums;

  for (const int epoch : remaining_epochs_until(options.epochs)) {
    network.train();
    for (auto& batch : loader) {
      adp.zero_grad();
      const auto scores = network.forward(batch.data.to(device));
      const auto loss = at::cross_entropy_loss(scores, batch.target.to(device));
      loss.backward();
      record("loss", loss.item<double>());
      adp.step();
      scaling.step(adp);
    }

    const auto [loss, accuracy] = validate(network, validation_loader, sums);
    record("validation_loss", loss);
    record("accuracy", accuracy);
    examples::print_line("epoch %2d of %d   accuracy %.4f   loss %.4f   %s", epoch + 1, options.epochs,
                         accuracy, loss, examples::batch_text(loader.current_batch_size()).c_str());
  }
}

}  // namespace
}  // namespace batchscope::digits

int main(int argc, char** argv) {
  using namespace batchscope;
  examples::Program program(
      "digits",
      "Trains a small convolutional network on handwritten digits, with a batch size that follows goodput.",
      R"(  digits                                   alone; Ctrl-C checkpoints, the same command resumes
  batchscope run --replicas 2 digits       supervised, on two replicas, recorded and charted
  batchscope run digits -- --epochs 4      options of the program come after --
  digits --data ~/mnist                    MNIST's own images (train-images-idx3-ubyte[.gz] ...)
  digits --micro-batches 16                scale S = 16 on every replica, as the AdaScale paper compares)");
  digits::Options options(program.options());
  return program.run(argc, argv, [&] { digits::train(options, program.hyperparameters()); });
}
