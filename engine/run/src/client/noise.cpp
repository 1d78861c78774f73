// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/noise.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <QTemporaryDir>
#include <algorithm>
#include <chrono>
#include <thread>

#include "batchscope/protocol/branch.h"
#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/series.h"
#include "batchscope/run/fork.h"
#include "batchscope/storage/samples.h"
#include "launch/generation.h"
#include "launch/launcher.h"
#include "log/last_words.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

constexpr int kLastLines = 20;  // of the log, in which the reason of a failure stands

ReplicaOrder order_of(const protocol::RunSpec& spec, const fs::path& folder, int micro_batches) {
  ReplicaOrder order = program_order(spec, folder / "log");
  protocol::Environment e;
  e.num_restarts = 1;
  e.checkpoint_path = (folder / "checkpoints").string();
  e.rendezvous_dir = folder.string();
  e.device = spec.device;
  e.checkpoint_interval = 0;
  e.max_local_batch_size = spec.max_local_batch_size;
  for (const auto& [name, value] : e.to_variables()) order.environment[name] = value;
  order.environment.erase(protocol::variable::kForkServer);
  order.environment.erase(protocol::variable::kBranch);
  order.environment[protocol::variable::kNoiseFile] = (folder / "noise").string();
  order.environment[protocol::variable::kNoiseMicroBatches] = std::to_string(micro_batches);
  return order;
}

// Returns the status of waitpid.
int wait_for(pid_t pid, const std::function<void()>& poll) {
  int status = 0;
  try {
    for (; waitpid(pid, &status, WNOHANG) == 0; std::this_thread::sleep_for(std::chrono::milliseconds(100)))
      poll();
  } catch (...) {
    kill(-pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    throw;
  }
  return status;
}

std::string ended(int status) {
  return WIFSIGNALED(status) ? fmt::format("was killed by signal {}", WTERMSIG(status))
                             : fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

std::optional<double> recorded_noise_scale(const std::string& id, std::int64_t step) {
  const fs::path file = protocol::run_paths(id).samples;
  if (!fs::exists(file)) return std::nullopt;
  storage::SampleReader reader(file);
  const auto generations = reader.generations(protocol::series::kNoiseScale);
  for (auto generation = generations.rbegin(); generation != generations.rend(); ++generation) {
    const auto samples = reader.read(protocol::series::kNoiseScale, *generation, 0, step);
    if (!samples.empty()) return samples.back().value;
  }
  return std::nullopt;
}

}  // namespace

MeasuredRun measure_noise(storage::Catalogue& catalogue, const std::string& id, const NoiseOptions& options,
                          const std::function<void()>& poll) {
  const auto origin = catalogue.run(id);
  if (!origin) throw Error(ErrorKind::not_found, "there is no run " + id);
  storage::require_sound(*origin);
  const QTemporaryDir temporary;
  if (!temporary.isValid())
    throw Error(ErrorKind::io,
                "cannot make a folder for the checkpoint: " + temporary.errorString().toStdString());
  const fs::path folder = temporary.path().toStdString();
  const LaidCheckpoint laid = copy_checkpoint(id, options.checkpoint, folder / "checkpoints");

  protocol::RunSpec spec = origin->spec;
  if (options.arguments) spec.arguments = *options.arguments;
  const int status = wait_for(spawn(order_of(spec, folder, options.micro_batches)), poll);
  MeasuredRun measured{laid.name, laid.step, protocol::read_noise_estimates(folder / "noise"),
                       recorded_noise_scale(id, laid.step)};
  if (!measured.estimates.empty()) return measured;
  const std::string words = last_words(log_tail(folder / "log", kLastLines));
  throw Error(ErrorKind::failure,
              fmt::format("{} {} and measured nothing{}. If its training is over at {}, choose an earlier "
                          "checkpoint, or give more epochs after \"--\". Only programs with "
                          "AdaptiveDataParallel in a loop over data can measure",
                          fs::path(spec.program).filename().string(), ended(status),
                          words.empty() ? "" : ": " + words, laid.name));
}

}  // namespace batchscope::run
