// SPDX-License-Identifier: Apache-2.0
//
// What is known of a fault: which replica, why, and what it costs; and what becomes of one of our own. The
// state machine decides what follows.
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/samples.h"
#include "log/last_words.h"
#include "log/log_tail.h"
#include "log/memory_fault.h"
#include "supervision/supervision.h"
#include "words.h"

namespace batchscope::run {

using namespace protocol;

namespace {

constexpr int kSearchedLines = 100;  // of a log: LibTorch prints a stack trace behind an exception

}  // namespace

std::string Supervision::last_words(int rank) {
  return run::last_words(log_tail(paths_.log_file(record_.number, rank), kSearchedLines));
}

std::string Supervision::log_command(int rank) {
  return "batchscope logs " + run_.id + " --generation " + std::to_string(record_.number) + " --replica " +
         std::to_string(rank);
}

std::string Supervision::restart_point() try {
  const auto checkpoints = list_checkpoints(paths_.checkpoints);
  for (const auto& directory : checkpoints) {
    const std::string name = directory.filename().string();
    if (unloadable_.contains(name)) continue;
    try {
      const std::int64_t step = read_manifest(directory, paths_.memory).step;
      return name + " (step " + std::to_string(step) + ")" + repeated_from(step);
    } catch (const Error&) {
      continue;  // the replicas will skip it too
    }
  }
  if (!checkpoints.empty()) return "its checkpoints, none of which is good";
  return "the beginning, as there is no checkpoint yet" + repeated_from(0);
} catch (const Error& error) {
  return std::string("a checkpoint that is not known (") + error.what() + ")";
}

// ", so that 23 steps with 736 samples are repeated", where that is known.
std::string Supervision::repeated_from(std::int64_t step) const {
  const std::int64_t steps = board_.step() - step;
  if (steps <= 0) return {};
  const std::string clause = ", so that " + std::to_string(steps) + (steps == 1 ? " step" : " steps");
  const auto now = board_.latest().find(series::kSamples);
  std::optional<double> then;
  if (step == 0) then = 0;
  try {
    storage::SampleReader reader(paths_.samples);
    for (int generation = record_.number; !then && generation >= 0; --generation)
      if (const auto found = reader.read(series::kSamples, generation, step, step); !found.empty())
        then = found.front().value;
  } catch (const Error&) {
    // Series that cannot be read hold up no restart.
  }
  if (now == board_.latest().end() || !then || !(now->second > *then)) return clause + " are repeated";
  return clause + " with " + std::to_string(whole(now->second - *then)) + " samples are repeated";
}

// A checkpoint that cannot be loaded is passed over from the next generation on.
void Supervision::on_failure(int rank, const Failure& failure) {
  failures_[rank] = failure;
  if (failure.kind != "checkpoint" || failure.checkpoint.empty() || tells_of_memory(failure.text)) return;
  constexpr std::size_t kLongest = 300;  // as all of them go into one variable of the environment
  if (unloadable_.emplace(failure.checkpoint, "it cannot be loaded: " + failure.text.substr(0, kLongest))
          .second)
    next_checkpoint_ = true;
}

Exit Supervision::account_of(int rank, int status) {
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
    if (failure.kind == "checkpoint" && next_checkpoint_) exit.cause = Cause::checkpoint;
  }
  if (exit.cause != Cause::unknown) return exit;
  // What the replica did not tell by itself.
  const std::string log = log_tail(paths_.log_file(record_.number, rank), kSearchedLines);
  if (exit.signal == 0 && tells_of_memory(log)) {
    exit.cause = Cause::memory;
  } else if (exit.signal == SIGKILL && out_of_memory_kills() > memory_kills_) {
    exit.cause = Cause::memory;
    exit.why = "the kernel killed a process for want of memory";
    exit.local_batch_size = board_.local_batch_size();
  }
  return exit;
}

// Half of a collective's patience: who only just became busy did not make anybody give up.
std::optional<Suspect> Supervision::suspect() {
  auto suspect = hang_watch_.suspect(monotonic_seconds(), run_.spec.time_outs.collective / 2);
  if (suspect)
    suspect->why += " (--collective-timeout is " + seconds_text(run_.spec.time_outs.collective) + ")";
  return suspect;
}

// Where a new number of replicas has no memory for what fitted on the old one, not the samples are too many
// but the replicas.
std::string Supervision::lower_local_batch_size(std::int64_t local) {
  std::int64_t bound = lowered_local_batch_size(local);
  if (spec_.max_local_batch_size > 0 && bound >= spec_.max_local_batch_size)
    bound = lowered_local_batch_size(spec_.max_local_batch_size);
  if (!progressed_ && fitted_.replicas != record_.replicas) bound = std::max(bound, fitted_.local_batch_size);
  if (bound == 0 || bound >= local) return {};
  spec_.max_local_batch_size = bound;
  recorder_.spec(spec_);
  return "it was at work on " + std::to_string(local) + " samples, and gets at most " +
         std::to_string(bound) + " at a time from now on";
}

// What a handler of events did not foresee ends the run in order: with a last checkpoint, an event and a
// message. What is done only now and then rests from here on, for it might throw the same again; whatever
// else does ends the run without the checkpoint, and at its very end the loop.
void Supervision::on_exception(const std::exception& exception) {
  std::fprintf(stderr, "error: thrown in an event's handler: %s\n", exception.what());
  std::string why = exception.what();
  if (!dynamic_cast<const Error*>(&exception))  // that says by itself what was wrong with what
    why = "the supervisor met with an error that it cannot go on from: " + why;
  if (broken_.empty()) broken_ = why;
  for (QTimer* const timer : {&tick_, &device_timer_, &status_timer_}) timer->stop();
  const bool concluding = finished_;
  try {
    fail(why);
  } catch (const std::exception&) {
    loop_.exit(kExitFailure);
  }
  if (concluding) loop_.exit(kExitFailure);
}

void Supervision::fail(const std::string& why) {
  machine_.fail(why);
  if (!machine_.over())
    tell("error", why + "; the run ends, with a last checkpoint where that can be written");
  settle();
}

void Supervision::watch() {
  if (!generation_ || !speaks_) return;
  telemetry_.drain();
  if (auto suspect = hang_watch_.check(monotonic_seconds(), progressed_)) {
    suspect->why += " (--hang-timeout is " + seconds_text(run_.spec.time_outs.step) + ")";
    machine_.hung(*suspect);
    settle();
  }
}

}  // namespace batchscope::run
