// SPDX-License-Identifier: GPL-3.0-or-later
#include "synthetic_run.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "batchscope/goodput/model.h"
#include "batchscope/protocol/device_series.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/samples.h"

namespace batchscope::desktop::test {
namespace {

namespace names = protocol::series;

constexpr int kInitialBatch = 128, kReplicas[] = {2, 4, 8};
constexpr double kTrainingSet = 240'000;
constexpr double kPause[] = {-1, 0.072, 0.064};

// 20 ms and 0.1 ms a sample to compute; synchronisation grows with the replicas.
const goodput::PerfParams kPerf{.alpha_c = 0.012,
                                .beta_c = 0.00022,
                                .alpha_n = 0.02,
                                .beta_n = 0.004,
                                .alpha_r = 0.006,
                                .beta_r = 0.0012,
                                .gamma = 1.8};

class Writer {
 public:
  Writer(storage::Catalogue& catalogue, const SyntheticOptions& options, const std::string& id)
      : catalogue_(catalogue),
        options_(options),
        id_(id),
        samples_(protocol::run_paths(id).samples),
        random_(options.seed) {}

  void write() {
    time_ = start_ = storage::now() - 280;
    catalogue_.put_hyperparameters(id_, {{"model", "CNN, 2 convolutions, 93,322 parameters"},
                                         {"optimizer", "SGD, momentum 0.9"},
                                         {"lr", "0.05"},
                                         {"batch_size", "64"},
                                         {"max_batch_size", "4096"},
                                         {"scaling_rule", "AdaScale"}});
    event(0, "info", "Training began on 2 replicas: gloo, cpu, LibTorch 1.13.0.");
    for (int g = 0; g < 3; ++g) generation(g);
    samples_.commit();
    finish();
  }

 private:
  void generation(int g) {
    const int replicas = kReplicas[g];
    const std::int64_t lost = g == 2 ? options_.stepsPerGeneration / 10 : 0;
    const std::int64_t resumed = step_ - lost;
    progress_ -= 2.5 * static_cast<double>(lost);
    storage::Generation row;
    row.number = g;
    row.replicas = replicas;
    row.reason = g == 0 ? "start" : "rescale";
    row.started = time_;
    row.pause = kPause[g];
    if (g > 0) {
      row.checkpoint = "checkpoint-" + std::to_string(100000 + g).substr(1);
      row.pause_parts = {{"checkpoint", 0.009},
                         {"stop", 0.004},
                         {"launch", 0.031},
                         {"restore", 0.012},
                         {"first step", 0.008}};
      event(g, "info", "Restarted on " + std::to_string(replicas) + " replicas in 0.06 s.");
    }
    row.first_step = resumed + 1;
    step_ = resumed;
    for (std::int64_t i = 0; i < options_.stepsPerGeneration; ++i) step(g, replicas, i);
    row.last_step = step_;
    row.ended = g == 2 && is_active(options_.state) ? 0 : time_;
    row.outcome = g < 2 ? "checkpointed" : "";
    if (g > 0) {
      row.obtained_throughput = latest_[names::kThroughput];
      row.obtained_goodput = latest_[names::kGoodput];
      row.predicted_throughput = 1.04 * row.obtained_throughput;
      row.predicted_goodput = 1.04 * row.obtained_goodput;
    }
    catalogue_.put_generation(id_, row);
    checkpoint(g);
    samples_.commit();
  }

  void step(int g, int replicas, std::int64_t i) {
    ++step_;
    const double share = static_cast<double>(i) / static_cast<double>(options_.stepsPerGeneration);
    const double run = (g + share) / 3;
    const double noise = normal_(random_);
    // The batch size is chosen anew at pass boundaries; early in a generation it is still the old one.
    const std::int64_t local = g == 0        ? (share < 0.25 ? 64 : 128)
                               : g == 1      ? (share < 0.2 ? 128 : 160)
                               : share < 0.3 ? 96
                                             : 176;
    const int accumulation = g == 2 && share > 0.82 && share < 0.9 ? 1 : 0;
    const auto batch = static_cast<double>(replicas * local * (accumulation + 1));
    const double scale = batch / kInitialBatch;
    const double noiseScale = 200 + 1400 * run;  // grows as training goes on
    const double gain = (noiseScale / kInitialBatch + 1) / (noiseScale / batch + 1);
    const double efficiency = gain / scale;
    const double sync = goodput::sync_time(kPerf, 1, replicas) * (1 + 0.06 * std::abs(normal_(random_)));
    const double model = goodput::step_time(kPerf, {1, replicas, local, accumulation});
    double took = model * (1 + 0.025 * noise);
    if (i == 0) took *= 3;  // the first step warms the caches
    time_ += (i == 0 && g > 0 ? kPause[g] : took) + 0.0;
    progress_ += gain;
    const double throughput = batch / took;
    const double epoch = progress_ * kInitialBatch / kTrainingSet;

    put(g, names::kTime, time_);
    put(g, names::kProgress, progress_);
    put(g, names::kGain, gain);
    put(g, names::kRawGain, std::clamp(gain * (1 + 0.13 * normal_(random_)), 1.0, scale));
    put(g, names::kScale, scale);
    put(g, names::kLearningRateFactor, gain);
    put(g, names::kLearningRate, 0.05 * gain);
    put(g, names::kBatchSize, batch);
    put(g, names::kLocalBatchSize, static_cast<double>(local));
    put(g, names::kAccumulation, accumulation);
    put(g, names::kReplicas, replicas);
    put(g, names::kThroughput, throughput);
    put(g, names::kEfficiency, efficiency);
    put(g, names::kGoodput, throughput * efficiency);
    put(g, names::kNoiseScale, noiseScale);
    put(g, names::kGradSqr, 1);
    put(g, names::kGradVar, noiseScale / kInitialBatch);
    put(g, names::kStepTime, took);
    put(g, names::kSyncTime, std::min(sync, took));
    if (step_ > 200) {
      put(g, names::kModelStepTime, model);
      put(g, names::kModelError, took / model - 1);
    }
    put(g, names::kLoss, options_.loss * (2.1 * std::exp(-7 * run) + 0.07) * (1 + 0.12 * normal_(random_)));
    put(g, names::kEpoch, epoch);
    for (const std::string& name : options_.own) put(g, name.c_str(), 40 * std::exp(-3 * run) + 2);
    if (i % 20 == 10) {
      for (int rank = 0; rank < replicas; ++rank) {
        samples_.append(g, names::device_series(names::kCpu, rank), step_, 0.9 - 0.02 * rank);
        samples_.append(g, names::device_series(names::kMemory, rank), step_, 4e8 + 1e7 * rank + 1e4 * i);
      }
    }
    consumed_ += batch;
    put(g, names::kSamples, consumed_);
    if (static_cast<int>(epoch) > epoch_) {
      epoch_ = static_cast<int>(epoch);
      put(g, names::kAccuracy, 0.985 - 0.5 * std::exp(-8 * run));
      put(g, names::kValidationLoss, 1.2 * std::exp(-6 * run) + 0.05);
    }
  }

  void put(int g, const char* name, double value) {
    samples_.append(g, name, step_, value);
    latest_[name] = value;
  }

  void event(int g, const char* level, const std::string& text) {
    catalogue_.add_event(id_, g, step_, level, text);
  }

  void checkpoint(int g) {
    storage::Checkpoint row;
    row.name = "checkpoint-" + std::to_string(100001 + g).substr(1);
    row.generation = g;
    row.step = step_;
    row.epoch = epoch_;
    row.progress = progress_;
    row.time = time_;
    row.seconds = 0.009;
    row.bytes = 2'140'000;
    row.reason = g < 2 ? "rescale" : "manual";
    catalogue_.put_checkpoint(id_, row);
    event(g, "info", "Checkpoint written after step " + std::to_string(step_) + " (2.1 MB, 9 ms).");
  }

  void finish() {
    if (options_.hasModel) {
      protocol::Model model;
      model.perf = {kPerf.alpha_c, kPerf.beta_c, kPerf.alpha_n, kPerf.beta_n,
                    kPerf.alpha_r, kPerf.beta_r, kPerf.gamma};
      model.grad_sqr = 1;
      model.grad_var = latest_[names::kNoiseScale] / kInitialBatch;
      model.init_batch_size = kInitialBatch;
      model.max_batch_size = 4096;
      model.min_local_batch_size = 8;
      model.max_local_batch_size = 256;
      model.accumulation = true;
      model.devices = 8;
      model.max_profiled_replicas = 8;
      model.step = step_;
      catalogue_.put_model(id_, 2, model);
    }
    event(2, "warning", "Replica 5 is 40 ms behind the others.");
    const int epochs = std::max(1, epoch_ * 3 / 2);
    catalogue_.set_progress(id_, step_, epoch_, epochs, static_cast<double>(epoch_) / epochs, latest_);
    catalogue_.set_state(id_, options_.state);
  }

  storage::Catalogue& catalogue_;
  SyntheticOptions options_;
  std::string id_;
  storage::SampleWriter samples_;
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::map<std::string, double> latest_;
  std::int64_t step_ = 0;
  double start_ = 0, time_ = 0, progress_ = 0, consumed_ = 0;
  int epoch_ = 0;
};

protocol::RunSpec specOf(const std::string& name) {
  protocol::RunSpec spec;
  spec.name = name;
  spec.program = "/usr/bin/true";
  spec.arguments = {"--epochs", "30"};
  spec.working_directory = "/tmp";
  spec.replicas = 2;
  return spec;
}

}  // namespace

std::string writeSyntheticRun(storage::Catalogue& catalogue, const SyntheticOptions& options) {
  protocol::RunSpec spec = specOf(options.name);
  spec.group = options.group;
  const std::string id = catalogue.create_run(spec);
  protocol::make_run_directories(protocol::run_paths(id));
  Writer(catalogue, options, id).write();
  return id;
}

std::string writeListedRun(storage::Catalogue& catalogue, const std::string& name, protocol::RunState state,
                           double accuracy) {
  const std::string id = catalogue.create_run(specOf(name));
  catalogue.set_progress(id, 1410, 12, 30, 0.4, {{"accuracy", accuracy}});
  catalogue.set_state(id, state, state == protocol::RunState::failed ? "rank 1 killed" : "");
  return id;
}

}  // namespace batchscope::desktop::test
