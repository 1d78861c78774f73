// SPDX-License-Identifier: Apache-2.0
//
// AdaScale without the elastic API: Algorithm 2 of the AdaScale paper in a loop that draws its own batches,
// keeps its own state and ends by its own condition. AdaScaleOptimizer, after FairScale's, stands between the
// loop and any optimizer; S = replicas * gradients accumulated. The program does itself what the elastic API
// would do: it chooses each replica's samples, writes checkpoints, decides when to leave, and continues where
// it was.
#include <torch/optim/sgd.h>
#include <torch/serialize.h>

#include <csignal>
#include <cstdlib>
#include <sstream>

#include "batchscope/train.h"
#include "digit_data.h"
#include "network.h"
#include "program.h"
#include "tensors.h"

namespace batchscope::examples {
namespace {

struct Options {
  int iterations = 3000, accumulate = 4, batch_size = 32, save_every = 500;
  double lr = 0.01, momentum = 0.9;
  std::uint64_t seed = 0;
  std::string data;
};

// The state from which training continues.
class Training final : public checkpoint::State {
 public:
  Training(digits::Network& network, torch::optim::SGD& optimizer, AdaScaleOptimizer& adascale,
           LRScheduler& schedule)
      : State("training"),
        network_(network),
        optimizer_(optimizer),
        adascale_(adascale),
        schedule_(schedule) {}

  std::int64_t step = 0;

  void save(std::ostream& out) override {
    torch::serialize::OutputArchive model, optimizer;
    network_.save(model);
    optimizer_.save(optimizer);
    std::ostringstream tensors, moments;
    model.save_to(tensors);
    optimizer.save_to(moments);
    out << to_bytes(nlohmann::json{{"step", step},
                                   {"adascale", adascale_.state()},
                                   {"schedule", schedule_.state()},
                                   {"network", bytes(tensors.str())},
                                   {"optimizer", bytes(moments.str())}});
  }
  void load(std::istream& in) override {
    const auto saved = from_bytes<nlohmann::json>(std::string(std::istreambuf_iterator<char>(in), {}));
    step = saved.at("step").get<std::int64_t>();
    read(saved.at("network"), network_);
    read(saved.at("optimizer"), optimizer_);
    adascale_.restore(saved.at("adascale").get<std::vector<double>>());
    schedule_.restore(saved.at("schedule").get<std::vector<double>>());
  }

 private:
  static nlohmann::json bytes(const std::string& text) {
    return nlohmann::json::binary({text.begin(), text.end()});
  }
  template <class Whole>
  static void read(const nlohmann::json& saved, Whole& whole) {
    const auto& data = saved.get_binary();
    std::istringstream in(std::string(data.begin(), data.end()));
    torch::serialize::InputArchive archive;
    archive.load_from(in);
    whole.load(archive);
  }

  digits::Network& network_;
  torch::optim::SGD& optimizer_;
  AdaScaleOptimizer& adascale_;
  LRScheduler& schedule_;
};

double accuracy(digits::Network& network, const at::Tensor& images, const at::Tensor& labels) {
  const at::NoGradGuard no_grad;
  return network.forward(images).argmax(1).eq(labels).to(at::kDouble).mean().item<double>();
}

// Set by Ctrl-C, or by the supervisor before it restarts the program on another number of replicas.
volatile std::sig_atomic_t asked_to_leave = 0;

void train(const Options& options) {
  auto data = options.data.empty() ? digits::drawn_digits(options.seed) : digits::load_digits(options.data);
  init_process_group();
  for (const int signal : {SIGTERM, SIGINT}) std::signal(signal, [](int) { asked_to_leave = 1; });
  at::manual_seed(options.seed);
  const auto [images, labels] = digits::to_tensors(std::move(data.train));
  const auto [test_images, test_labels] = digits::to_tensors(std::move(data.test));

  digits::Network network;
  torch::optim::SGD optimizer(network.parameters(),
                              torch::optim::SGDOptions(options.lr).momentum(options.momentum));
  const int total = options.iterations;
  MultiStepLR schedule(optimizer, {total / 2, total * 3 / 4});
  AdaScaleOptimizer adascale(optimizer, {.num_gradients_to_accumulate = options.accumulate});
  Training training(network, optimizer, adascale, schedule);
  checkpoint::load_state(training);

  while (!adascale.done(total)) {
    // Every replica makes the same draw and takes its own part of it; each step has another draw.
    at::manual_seed(options.seed + 1 + static_cast<std::uint64_t>(training.step));
    const std::int64_t mine = std::int64_t{options.accumulate} * options.batch_size;
    const at::Tensor drawn = at::randint(images.size(0), {num_replicas(), mine}, at::kLong)[replica_rank()];
    adascale.zero_grad();
    double loss = 0;
    for (const at::Tensor& rows : drawn.split(options.batch_size)) {
      const auto scores = network.forward(images.index_select(0, rows));
      const auto part = at::cross_entropy_loss(scores, labels.index_select(0, rows)) / options.accumulate;
      part.backward();
      loss += part.item<double>();
    }
    const auto saves = [&] {
      return static_cast<int>(adascale.scale_invariant_steps()) / options.save_every;
    };
    const int saved = saves();
    adascale.step();
    record("loss", loss);
    schedule.step_to(adascale.scale_invariant_steps());
    ++training.step;
    if (collective::sum("asked to leave", asked_to_leave) > 0) {  // all of them, after the same step
      checkpoint::save_all_states("exit");
      std::exit(kExitCheckpointed);
    }
    if (saves() == saved && !adascale.done(total)) continue;

    if (replica_rank() == 0) {
      const double reached = accuracy(network, test_images, test_labels);
      record("accuracy", reached);
      print_line("step %5lld   scale-invariant %6.0f of %d   gain %5.2f of %.0f   accuracy %.4f",
                 static_cast<long long>(training.step), adascale.scale_invariant_steps(), total,
                 adascale.gain(), adascale.scale(), reached);
    }
    checkpoint::save_all_states("periodic");
  }
}

}  // namespace
}  // namespace batchscope::examples

int main(int argc, char** argv) {
  using namespace batchscope::examples;
  Program program("plain_adascale", "AdaScale around an optimizer, in a loop without the elastic API.",
                  R"(  plain_adascale --accumulate 8          S = 8 on one replica
  batchscope run --replicas 2 plain_adascale -- --accumulate 4)");
  Options options;
  CLI::App& app = program.options();
  const CLI::Range some(1, 1'000'000);
  app.add_option("--iterations", options.iterations, "Scale-invariant iterations to train for")->check(some);
  app.add_option("--accumulate", options.accumulate, "Gradients per step on each replica")->check(some);
  app.add_option("--batch-size", options.batch_size, "Images for one gradient")->check(some);
  app.add_option("--save-every", options.save_every, "Scale-invariant iterations between checkpoints")
      ->check(some);
  app.add_option("--lr", options.lr, "Learning rate at the start; falls to a tenth at 1/2 and 3/4");
  app.add_option("--momentum", options.momentum, "Momentum of SGD");
  app.add_option("--seed", options.seed, "Seed of the drawn images, the initial weights and the batches");
  app.add_option("--data", options.data, "Folder with MNIST's IDX files, instead of drawn images");
  return program.run(argc, argv, [&] { train(options); });
}
