// SPDX-License-Identifier: Apache-2.0
//
// A training program without a model, for tests of loops across restarts: every optimizer step is committed
// with a gain, every epoch trains, validates with an accumulator and synchronises it. What it sees goes to
// stdout, a JSON object a line. With --signal STEP:RANK that rank raises SIGTERM (--signal-number for
// another) inside that step; with --crash it is killed there, once there is a checkpoint with --await or the
// file of --after. The state "ballast" makes checkpoints larger, slower, or the end of the program.
#include <ATen/ATen.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <thread>

#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/replica/accumulator.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/replica/record.h"
#include "batchscope/train/adaptive_data_loader.h"
#include "batchscope/train/process_group.h"
#include "checkpoint/registry.h"
#include "train_replica.h"

namespace batchscope::testing::loop_program {

using namespace replica;
using protocol::Json;

namespace {

struct Settings {
  std::int64_t dataset = 100, batch = 10, max_batch = 0, local_max = 0;
  int epochs = 2, workers = 0, signal_number = SIGTERM;
  bool drop_last = false, accumulate = false, single_gradient = false, crash = false, await = false;
  std::size_t ballast = 0;
  int step_ms = 0, write_ms = 0, kill_in_write = 0, full_from = -1, full_until = -1;
  double gain = 1;
  std::string signal, after;
};

class Numbers : public Dataset {
 public:
  explicit Numbers(std::int64_t size) : size_(size) {}
  std::int64_t size() const override { return size_; }
  Batch collate(const std::vector<std::int64_t>& ids) const override {
    at::Tensor rows = at::empty({static_cast<std::int64_t>(ids.size())}, at::kLong);
    std::copy(ids.begin(), ids.end(), rows.data_ptr<std::int64_t>());
    return {rows, rows, rows.size(0)};
  }

 private:
  std::int64_t size_;
};

class Ballast final : public checkpoint::State {
 public:
  explicit Ballast(const Settings& settings) : State("ballast"), settings_(settings) {}
  void save(std::ostream& out) override { out << std::string(settings_.ballast, 'x'); }
  void load(std::istream&) override {}
  Writer snapshot() override {
    const bool kills = ++snapshots_ == settings_.kill_in_write;
    return [this, kills](std::ostream& out) {
      out << std::string(settings_.ballast / 2, 'x') << std::flush;
      if (kills) kill(getpid(), SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(settings_.write_ms));
      out << std::string(settings_.ballast - settings_.ballast / 2, 'x');
    };
  }

 private:
  const Settings& settings_;
  int snapshots_ = 0;
};

// No file may grow beyond a few KiB while the disk is "full".
void fill_disk(bool full) {
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = full ? 8192 : limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
}

void print(Json line) {
  line["rank"] = replica_rank();
  std::cout << line.dump() + "\n" << std::flush;
}

void raise_signal(const Settings& settings, const std::string& where) {
  if (settings.signal != where + ":" + std::to_string(replica_rank())) return;
  while (settings.await && protocol::list_checkpoints(checkpoint_directory()).empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  while (!settings.after.empty() && !std::filesystem::exists(settings.after))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (settings.crash) kill(getpid(), SIGKILL);
  raise(settings.signal_number);
}

void train(const Settings& settings, AdaptiveDataLoader& loader, Accumulator<>& seen) {
  for (Batch& batch : loader) {
    const StepContext& step = step_context();
    print({{"loop", "train"},
           {"epoch", current_epoch()},
           {"count", batch.size()},
           {"rows", batch.data.size(0)},
           {"weight", step.gradient_weight},
           {"even", step.even},
           {"micro_step", step.micro_step},
           {"optimizer_step", step.optimizer_step},
           {"samples", step.samples},
           {"batch_size", loader.current_batch_size()},
           {"draw", at::rand({1}).item<float>()}});
    for (std::int64_t i = 0; i < batch.size(); ++i)
      seen["sum"] += static_cast<double>(batch.data[i].item<std::int64_t>());
    if (settings.full_from == metrics::steps()) fill_disk(true);
    if (settings.full_until == metrics::steps()) fill_disk(false);
    std::this_thread::sleep_for(std::chrono::milliseconds(settings.step_ms));
    if (step.optimizer_step) {
      raise_signal(settings, std::to_string(metrics::steps() + 1));
      metrics::commit_step({.gain = settings.gain, .gradient = {1, 100}});
      record("loss", 1.0);
    } else {
      raise_signal(settings, std::to_string(metrics::steps() + 1) + "m" + std::to_string(step.micro_step));
      metrics::end_micro_step();
    }
  }
}

void validate(const Settings& settings, AdaptiveDataLoader& loader, Accumulator<>& sums) {
  int number = 0;
  for (Batch& batch : loader) {
    print({{"loop", "validate"},
           {"epoch", current_epoch()},
           {"count", batch.size()},
           {"rows", batch.data.size(0)}});
    sums["count"] += static_cast<double>(batch.size());
    sums["sum"] += static_cast<double>(batch.data.sum().item<std::int64_t>());
    raise_signal(settings, "e" + std::to_string(current_epoch()) + "v" + std::to_string(++number));
  }
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app("loops for tests");
  Settings settings;
  app.add_option("--dataset", settings.dataset);
  app.add_option("--batch", settings.batch);
  app.add_option("--max-batch", settings.max_batch);
  app.add_option("--local-max", settings.local_max);
  app.add_option("--epochs", settings.epochs);
  app.add_option("--workers", settings.workers);
  app.add_option("--gain", settings.gain);
  app.add_option("--signal", settings.signal);
  app.add_option("--signal-number", settings.signal_number);
  app.add_flag("--crash", settings.crash);
  app.add_flag("--await", settings.await);
  app.add_option("--after", settings.after);
  app.add_option("--ballast", settings.ballast);
  app.add_option("--step-ms", settings.step_ms);
  app.add_option("--write-ms", settings.write_ms);
  app.add_option("--kill-in-write", settings.kill_in_write);
  app.add_option("--full-from", settings.full_from);
  app.add_option("--full-until", settings.full_until);
  app.add_flag("--drop-last", settings.drop_last);
  app.add_flag("--accumulate", settings.accumulate);
  app.add_flag("--single-gradient", settings.single_gradient);
  CLI11_PARSE(app, argc, argv);
  try {
    init_process_group({.timeout = std::chrono::seconds(20)});
    at::manual_seed(1);
    Ballast ballast(settings);
    const Numbers numbers(settings.dataset);
    AdaptiveDataLoader training(numbers, {.batch_size = settings.batch,
                                          .shuffle = true,
                                          .drop_last = settings.drop_last,
                                          .num_workers = settings.workers});
    if (settings.max_batch > 0)
      training.autoscale_batch_size(settings.max_batch, {1, settings.local_max}, settings.accumulate,
                                    settings.single_gradient);
    AdaptiveDataLoader validation(numbers, {.batch_size = settings.batch, .training = false});
    Accumulator sums;
    Accumulator seen;
    for (const int epoch : remaining_epochs_until(settings.epochs)) {
      train(settings, training, seen);
      validate(settings, validation, sums);
      const auto total = sums.synchronized();
      const auto trained = seen.synchronized();
      sums.clear();
      seen.clear();
      print({{"epoch", epoch},
             {"count", total.at("count")},
             {"sum", total.at("sum")},
             {"trained", trained.at("sum")}});
    }
    print({{"finished", finished_epochs()},
           {"steps", metrics::steps()},
           {"samples", metrics::samples()},
           {"progress", metrics::progress()}});
  } catch (const Error& e) {
    std::cerr << e.what() << '\n';
    return exit_code(e.kind());
  }
  return 0;
}

}  // namespace batchscope::testing::loop_program
