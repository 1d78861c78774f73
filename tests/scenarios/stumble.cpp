// SPDX-License-Identifier: Apache-2.0
//
// A training program that stumbles when it is told to: a linear regression y = x.w on synthetic data, a few
// milliseconds a step, for scenarios that are about the supervisor and not about learning. The fault happens
// once, in the run's first generation, unless --always:
//   batchscope run --replicas 2 stumble -- --fault abort --at 30 --rank 1
#include <ATen/ATen.h>
#include <signal.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

#include "adapt/metrics.h"
#include "batchscope/replica/collective.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/replica/record.h"
#include "batchscope/train/adaptive_data_loader.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/process_group.h"

using namespace batchscope;
using namespace batchscope::replica;

namespace {

constexpr int kEndless = 1'000'000;  // epochs

struct Options {
  int epochs = 3;
  std::string until;  // empty: nothing ends it before
  std::int64_t samples = 1024, batch_size = 32;
  std::int64_t max_batch_size = 0;  // 0: the batch size stays
  int step_ms = 5;
  int validation_ms =
      0;  // how long each of the eight validation batches after an epoch takes; 0: there are none
  int start_ms = 0;
  std::string fault;  // none
  int at = 20, rank = 0, replicas = 0;
  bool always = false;
  std::int64_t memory = 0;  // samples of a micro-batch that fit; 0: any number
};

// A static object with something left to do when the program has ended.
struct LastWord {
  ~LastWord() {
    if (!text.empty()) std::cout << text << '\n';
  }
  std::string text;
} last_word;

// Not finite, in the way that a bad sample makes a loss so.
void spoil(at::Tensor& loss) { loss = loss * std::numeric_limits<double>::quiet_NaN(); }

// More than an address space holds, or a GPU.
void exhaust_memory() { at::empty({std::int64_t{1} << 55}, at::device(replica_device())); }

void stumble(const std::string& fault, at::Tensor& loss) {
  std::cerr << "stumbling as told: " << fault << std::endl;
  if (fault == "kill") raise(SIGKILL);
  if (fault == "freeze") raise(SIGSTOP);
  if (fault == "abort") std::abort();
  if (fault == "throw") throw std::runtime_error("the sky is falling");
  if (fault == "exit") std::_Exit(7);
  if (fault == "memory") exhaust_memory();
  if (fault == "loop") {
    for (volatile bool forever = true; forever;) {
    }
  }
  if (fault == "sleep") std::this_thread::sleep_for(std::chrono::hours(1));
  if (fault == "nan") spoil(loss);
}

Options parse(int argc, char** argv) {
  Options o;
  CLI::App app("A training program that stumbles when it is told to");
  app.add_option("--epochs", o.epochs);
  app.add_option("--until", o.until,
                 "A file that ends it with the pass in which it is made; without --epochs nothing else does");
  app.add_option("--samples", o.samples, "In the data set");
  app.add_option("--batch-size", o.batch_size);
  app.add_option("--max-batch-size", o.max_batch_size, "Let goodput choose up to so many; 0: it stays");
  app.add_option("--step-ms", o.step_ms, "How long a step takes at least");
  app.add_option("--validation-ms", o.validation_ms,
                 "How long an eighth of a validation takes; 0: there is none");
  app.add_option("--start-ms", o.start_ms, "How long the program prepares its data");
  app.add_option("--fault", o.fault, "What happens")
      ->check(CLI::IsMember({"kill", "freeze", "abort", "throw", "exit", "memory", "loop", "sleep", "nan"}));
  app.add_option("--at", o.at, "The step in which it happens, from 1; 0: a generation's first");
  app.add_option("--rank", o.rank, "The replica that it happens to; -1: all");
  app.add_option("--replicas", o.replicas, "Only where there are so many; 0: on any number");
  app.add_flag("--always", o.always, "In every generation that comes to this step");
  app.add_option("--memory", o.memory, "Samples of a micro-batch for which there is memory; 0: any number");
  app.add_option("--last-word", last_word.text, "What a static object's destructor prints");
  try {
    app.parse(argc, argv);
    if (!o.until.empty() && app.count("--epochs") == 0) o.epochs = kEndless;
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return o;
}

// Rank 0 looks for all of them.
bool told_to_end(const std::string& file) {
  return !file.empty() && collective::broadcast("told to end", std::filesystem::exists(file));
}

void pause(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

void train(const Options& o) {
  constexpr std::int64_t kFeatures = 8;
  pause(o.start_ms);
  at::manual_seed(0);
  const at::Tensor x = at::randn({o.samples, kFeatures});
  const TensorDataset dataset(x, x.mv(at::arange(1, kFeatures + 1).to(at::kFloat)));
  torch::nn::Linear model(kFeatures, 1);
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.01));
  AdaptiveDataParallel adp(*model, optimizer);
  AdaptiveDataLoader training(dataset, {.batch_size = o.batch_size, .shuffle = true});
  if (o.max_batch_size > 0) training.autoscale_batch_size(o.max_batch_size, {}, true);
  AdaptiveDataLoader validation(dataset,
                                {.batch_size = std::max<std::int64_t>(1, o.samples / 8), .training = false});

  const bool armed = !o.fault.empty() && (o.always || num_restarts() == 0) &&
                     (o.rank == replica_rank() || o.rank < 0) &&
                     (o.replicas == num_replicas() || o.replicas == 0);
  bool first = true;
  const auto loss_of = [&](const Batch& batch) {
    return (model(batch.data).squeeze(1) - batch.target).square().mean();
  };
  const auto validate = [&] {
    const at::NoGradGuard no_grad;
    for (Batch& batch : validation) {
      pause(o.validation_ms);
      record("validation_loss", loss_of(batch).item<double>());
    }
  };
  for ([[maybe_unused]] const int epoch : remaining_epochs_until(o.epochs)) {
    for (Batch& batch : training) {
      pause(o.step_ms);
      // Acts as an allocation that is too large does, at a size that a test can choose.
      if (o.memory > 0 && batch.size() > o.memory) exhaust_memory();
      adp.zero_grad();
      at::Tensor loss = loss_of(batch);
      if (armed && (o.at == 0 ? first : metrics::steps() + 1 == o.at)) stumble(o.fault, loss);
      first = false;
      loss.backward();
      adp.step();
      record("loss", loss.item<double>());
    }
    if (o.validation_ms > 0) validate();
    if (told_to_end(o.until)) break;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  init_process_group();
  train(options);
}
