// SPDX-License-Identifier: Apache-2.0
//
// A whole training program, small: shuffled batches with dropout and BatchNorm, a schedule by epochs,
// accumulation where it is asked for, and after each epoch a validation whose sums an accumulator holds. Says
// the progress after every step, a JSON object a line, and at the end all that a restart could change.
//   train-replica training '{"optimizer": "sgd" | "adam", "epochs": N, "replicas": N, "generations": N,
//     "local": of a micro-batch, 0 for the replicas' share of a batch, "triggers": [...],
//     "dies_after": step of the first generation}'
// Generation after generation on the same checkpoints; prints what fork_replicas (forked.h) says of each.
#include <ATen/ATen.h>
#include <signal.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "batchscope/goodput/noise_scale.h"
#include "batchscope/replica/accumulator.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/train/adaptive_data_loader.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/lr_scheduler.h"
#include "batchscope/train/replica_device.h"
#include "forked.h"
#include "steps.h"
#include "train_replica.h"

namespace batchscope::testing::training_program {

using namespace replica;
using protocol::Json;

namespace {

constexpr std::int64_t kSamples = 46, kBatch = 12, kFeatures = 6, kClasses = 3;

struct Model : torch::nn::Module {
  Model() {
    register_module("first", first), register_module("norm", norm);
    register_module("dropout", dropout), register_module("last", last);
    to(replica_device());
  }
  at::Tensor forward(const at::Tensor& x) { return last(dropout(at::tanh(norm(first(x))))); }
  torch::nn::Linear first{kFeatures, 8}, last{8, kClasses};
  torch::nn::BatchNorm1d norm{8};
  torch::nn::Dropout dropout{0.2};
};

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const std::string& name, Model& model) {
  if (name == "adam")
    return std::make_unique<torch::optim::Adam>(model.parameters(), torch::optim::AdamOptions(0.01));
  return std::make_unique<torch::optim::SGD>(model.parameters(),
                                             torch::optim::SGDOptions(0.05).momentum(0.9));
}

Json train(const Json& settings) {
  const std::int64_t local = settings["local"];
  const c10::Device device = replica_device();
  at::manual_seed(5);
  const TensorDataset dataset(at::randn({kSamples, kFeatures}), at::arange(kSamples) % kClasses);
  Model model;
  const auto optimizer = make_optimizer(settings["optimizer"], model);
  StepLR schedule(*optimizer, 1, 0.8);
  AdaptiveDataParallel adp(model, *optimizer, &schedule);
  AdaptiveDataLoader training(dataset, {.batch_size = kBatch, .shuffle = true});
  if (local > 0) training.autoscale_batch_size(kBatch, {local, local}, true);
  AdaptiveDataLoader validation(dataset, {.batch_size = kBatch, .training = false});
  Accumulator sums;
  Json losses;
  std::int64_t step = 0;
  for ([[maybe_unused]] const int epoch : remaining_epochs_until(settings["epochs"])) {
    model.train();
    for (Batch& batch : training) {
      adp.zero_grad();
      const at::Tensor loss =
          at::cross_entropy_loss(model.forward(batch.data.to(device)), batch.target.to(device));
      loss.backward();
      adp.step();
      sums["loss"] += loss.item<double>() * static_cast<double>(batch.size());
      if (!step_context().optimizer_step) continue;
      std::cout << Json{{"progress", adp.progress()}, {"gain", adp.gain()}}.dump() << std::endl;
      if (++step == settings["dies_after"] && num_restarts() == 0) raise(SIGKILL);
    }
    model.eval();
    for (Batch& batch : validation)
      sums["hits"] += static_cast<double>(model.forward(batch.data.to(device))
                                              .argmax(1)
                                              .eq(batch.target.to(device))
                                              .sum()
                                              .item<std::int64_t>());
    losses = sums.synchronized();
    schedule.step();
  }
  Json said{{"sums", losses},
            {"noise", adp.noise_scale().state()},
            {"gain", adp.gain()},
            {"lr_factor", adp.lr_factor()},
            {"rates", schedule.learning_rates()},
            {"steps", schedule.steps()},
            {"draw", numbers(at::rand({4}))}};
  for (const auto& parameter : model.named_parameters())
    said["weights"][parameter.key()] = numbers(*parameter);
  for (const auto& buffer : model.named_buffers()) said["buffers"][buffer.key()] = numbers(*buffer);
  return said;
}

}  // namespace

int run(int, char** arguments) {
  const Json settings = protocol::parse_object(arguments[1]);
  Json generations = Json::array();
  for (int number = 0; number < settings["generations"]; ++number)
    generations.push_back(fork_replicas({number, settings["replicas"], settings["triggers"].dump()},
                                        [&] { return train(settings); }));
  std::cout << Json{{"generations", generations}}.dump() << std::endl;
  return 0;
}

}  // namespace batchscope::testing::training_program
