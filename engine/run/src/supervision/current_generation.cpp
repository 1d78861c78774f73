// SPDX-License-Identifier: Apache-2.0
#include "supervision/current_generation.h"

#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <utility>

#include "log/last_words.h"
#include "system/process_table.h"

namespace batchscope::run {

using protocol::Failure;

namespace {

constexpr int kSearchedLines = 100;  // of a log: LibTorch prints a stack trace behind an exception
constexpr int kPythonRaised = 1;     // Python's exit code after an exception that nobody caught

// As the record has what is not.
double known(double rate) { return std::isfinite(rate) ? rate : -1; }

}  // namespace

CurrentGeneration::CurrentGeneration(const protocol::RunPaths& paths, Recorder& recorder,
                                     std::function<std::int64_t()> memory_kills)
    : paths_(paths), recorder_(recorder), memory_kills_(std::move(memory_kills)) {}

// For the supervisor after one that was killed.
void CurrentGeneration::list_processes() const {
  write_replicas(paths_.root / "replicas.json",
                 replicas_ ? replicas_->processes() : std::vector<ProcessId>());
}

void CurrentGeneration::remember(const std::vector<storage::Generation>& generations) {
  for (const storage::Generation& generation : generations)
    if (generation.pause > 0) known_pause_ = generation.pause;
}

void CurrentGeneration::launch(const GenerationOrder& order, const std::string& reason,
                               const std::optional<Prediction>& predicted, double now, Launcher& launcher) {
  launched_ = now;
  checkpoints_when_asked_ = forked_ = progressed_ = under_way_ = uses_gpu_ = passes_over_ = false;
  checkpoint_.reset();
  failures_.clear();
  kills_before_ = memory_kills_();
  device_metrics_.begin_generation();
  replicas_.emplace(order, launcher);
  list_processes();
  record_ = {};
  record_.number = order.number;
  record_.replicas = replicas_->replicas();
  record_.reason = reason;
  record_.started = recorder_.wall(launched_);
  if (predicted) {
    record_.predicted_throughput = known(predicted->throughput);
    record_.predicted_goodput = known(predicted->goodput);
    if (predicted->error > 0) record_.predicted_error = predicted->error;
  }
  recorder_.put(record_);
}

void CurrentGeneration::end(const Outcome& outcome, std::int64_t local_batch_size) {
  replicas_.reset();
  list_processes();
  record_.ended = storage::now();
  record_.last_step = recorder_.last_step();
  record_.outcome = outcome.text();
  if (progressed_) fitted_ = {record_.replicas, local_batch_size};
  recorder_.put(record_);
}

void CurrentGeneration::hello(int rank, const protocol::Hello& hello) {
  has_telemetry_ = true;
  checkpoints_when_asked_ = hello.checkpoints;
  forked_ = hello.forked;
  uses_gpu_ = uses_gpu_ || hello.device != "cpu";
  if (node_of(rank).empty())
    device_metrics_.trains_on(rank, hello.device, std::getenv("CUDA_VISIBLE_DEVICES"));
}

void CurrentGeneration::restored(const std::string& checkpoint) {
  record_.checkpoint = checkpoint;
  recorder_.put(record_);
}

void CurrentGeneration::stepped(std::int64_t first_step) {
  if (record_.first_step != 0) return;
  record_.first_step = first_step;
  if (progressed_) recorder_.put(record_);  // a validation was finished first
}

void CurrentGeneration::progress(double mono, const std::optional<Pause>& pause) {
  progressed_ = under_way_ = true;
  known_pause_ = pause ? pause->seconds : mono - launched_;
  if (pause) {
    record_.pause = pause->seconds;
    record_.pause_parts = pause->parts;
  }
  recorder_.put(record_);
}

void CurrentGeneration::obtained(const MeasuredRate& rate) {
  record_.obtained_throughput = known(rate.throughput);
  record_.obtained_goodput = known(rate.goodput);
  recorder_.put(record_);
}

void CurrentGeneration::failed(int rank, const Failure& failure, bool passed_over) {
  failures_[rank] = failure;
  passes_over_ = passes_over_ || passed_over;
}

// How long the restart of a program that tells no steps took is not known; at most as long as it is here.
void CurrentGeneration::assume_running(double now) {
  under_way_ = true;
  known_pause_ = now - launched_;
}

std::int64_t CurrentGeneration::fitted_elsewhere() const {
  return progressed_ || fitted_.replicas == record_.replicas ? 0 : fitted_.local_batch_size;
}

std::string CurrentGeneration::log_of(int rank) const {
  return log_tail(paths_.log_file(record_.number, rank), kSearchedLines);
}

Exit CurrentGeneration::account_of(int rank, int status, std::int64_t local_batch_size) const {
  Exit exit;
  exit.rank = rank;
  if (WIFSIGNALED(status))
    exit.signal = WTERMSIG(status);
  else
    exit.code = WEXITSTATUS(status);
  if (exit.clean()) return exit;

  if (const auto found = failures_.find(rank); found != failures_.end()) {
    const Failure& failure = found->second;
    exit.local_batch_size = failure.local_batch_size;
    exit.why = failure.text;
    if (failure.kind == "peer") exit.cause = Cause::peer;
    if (failure.kind == "non_finite") exit.cause = Cause::non_finite;
    if (failure.kind == "checkpoint") exit.why = failure.checkpoint + " cannot be loaded: " + failure.text;
    if (failure.kind == "exception" || failure.kind == "checkpoint")
      exit.cause = tells_of_memory(failure.text) ? Cause::memory : Cause::exception;
    if (failure.kind == "checkpoint" && passes_over_) exit.cause = Cause::checkpoint;
  }
  if (exit.cause != Cause::unknown) return exit;
  // The replica did not tell these by itself.
  const std::string log = exit.signal == 0 ? log_of(rank) : std::string();
  if (tells_of_memory(log)) {
    exit.cause = Cause::memory;
  } else if (exit.code == kPythonRaised && !python_exception(log).empty()) {
    exit.cause = Cause::exception;
    exit.why = python_exception(log);
  } else if (exit.signal == SIGKILL && memory_kills_() > kills_before_) {
    exit.cause = Cause::memory;
    exit.why = "the kernel killed a process because memory ran out";
    exit.local_batch_size = local_batch_size;
  }
  return exit;
}

void CurrentGeneration::measure(std::int64_t step, const SeriesValues& elsewhere) {
  if (!replicas_) return;
  if (progressed_) {
    SeriesValues values = device_metrics_.read(replicas_->living_here());
    values.insert(values.end(), elsewhere.begin(), elsewhere.end());
    recorder_.measured(step, values);
  }
  for (const auto& [rank, pid] : replicas_->living())
    log_times_.note(paths_.log_file(replicas_->number(), rank), storage::now());
}

}  // namespace batchscope::run
