// SPDX-License-Identifier: Apache-2.0
//
// The generation that runs, or the one that ran last: its processes, what they have said and how far they
// have come, why those failed that did, and its row in the catalogue, which is kept in step with all that.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/run/measured_rate.h"
#include "batchscope/run/prediction.h"
#include "batchscope/storage/catalogue.h"
#include "devices/device_metrics.h"
#include "launch/generation.h"
#include "log/log_times.h"
#include "log/memory_fault.h"
#include "record/recorder.h"
#include "state/outcome.h"
#include "state/pause_clock.h"

namespace batchscope::run {

class CurrentGeneration {
 public:
  // `memory_kills`: how many processes of this machine the kernel has killed for want of memory.
  CurrentGeneration(const protocol::RunPaths& paths, Recorder& recorder,
                    std::function<std::int64_t()> memory_kills = out_of_memory_kills);

  // Takes in the generations of the supervisors before.
  void remember(const std::vector<storage::Generation>& generations);
  // Starts it, now, for this reason; `predicted`: of it, if anything. Throws Error; then the record is still
  // the one of the generation before.
  void launch(const GenerationOrder& order, const std::string& reason,
              const std::optional<Prediction>& predicted, double now, Launcher& launcher);
  // Closes the generation, whose last replica has exited.
  void end(const Outcome& outcome, std::int64_t local_batch_size);
  // Kills what is left of it.
  void abandon() { replicas_.reset(); }

  // Null while none runs.
  Generation* replicas() { return replicas_ ? &*replicas_ : nullptr; }
  // The node of this rank; empty: this one.
  std::string node_of(int rank) const { return replicas_ ? replicas_->node_of(rank) : std::string(); }
  // The rank of this process; empty for one that is none of its replicas, or no longer.
  std::optional<int> rank_of(pid_t pid) const { return replicas_ ? replicas_->rank_of(pid) : std::nullopt; }
  const storage::Generation& record() const { return record_; }

  // Telemetry of its replicas.
  void hello(int rank, const protocol::Hello& hello);
  void restored(const std::string& checkpoint);
  void stepped(std::int64_t first_step);
  // The first step or validation batch was finished; `pause`: where it ended one.
  void progress(double mono, const std::optional<Pause>& pause);
  void checkpoint_written(const protocol::CheckpointWritten& checkpoint) { checkpoint_ = checkpoint; }
  // `passed_over`: the next generation will not load the checkpoint that this one could not.
  void failed(int rank, const protocol::Failure& failure, bool passed_over);
  // How fast it goes, beside what was predicted.
  void obtained(const MeasuredRate& rate);
  // It tells no steps, and is taken to make some.
  void assume_running(double now);

  bool has_telemetry() const { return has_telemetry_; }  // a replica of any generation said hello
  // A replica of it has said that it does.
  bool checkpoints_when_asked() const { return checkpoints_when_asked_; }
  bool forked() const { return forked_; }  // by the fork server, as its replicas say
  // Nothing of how its processes end matters to the next: the engine's own, which end as they say, without a
  // GPU whose memory they hold.
  bool leaves_at_once() const { return forked_ && !uses_gpu_; }
  bool progressed() const { return progressed_; }  // it has had its first step
  bool under_way() const { return under_way_; }    // so it has, or is assumed to have
  // The newest that it has written.
  const std::optional<protocol::CheckpointWritten>& checkpoint() const { return checkpoint_; }
  // s, of the last restart; before the first, from launch to first step.
  double known_pause() const { return known_pause_; }
  // Returns the local batch size that fitted into memory in the last generation that made a step, on another
  // number of replicas; 0 where this one has made a step, or the number is the same.
  std::int64_t fitted_elsewhere() const;

  // How a replica ended, by its status, by what it told and by its log. `local_batch_size`: of the run.
  Exit account_of(int rank, int status, std::int64_t local_batch_size) const;
  // The end of its log.
  std::string log_of(int rank) const;

  // Records, at a step, what its processes use of the machine, and those of other nodes `elsewhere`; and how
  // long their logs have become.
  using SeriesValues = std::vector<std::pair<std::string, double>>;
  void measure(std::int64_t step, const SeriesValues& elsewhere);

 private:
  void list_processes() const;

  const protocol::RunPaths& paths_;
  Recorder& recorder_;
  const std::function<std::int64_t()> memory_kills_;
  DeviceMetrics device_metrics_;
  LogTimes log_times_;

  std::optional<Generation> replicas_;
  storage::Generation record_;
  double launched_ = 0;  // monotonic
  bool checkpoints_when_asked_ = false, has_telemetry_ = false, forked_ = false;
  bool progressed_ = false, under_way_ = false, uses_gpu_ = false;
  std::optional<protocol::CheckpointWritten> checkpoint_;
  std::map<int, protocol::Failure> failures_;  // by rank
  bool passes_over_ = false;                   // a checkpoint, in what comes next
  std::int64_t kills_before_ = 0;              // when it was launched
  double known_pause_ = 0;

  // The last generation that made a step.
  struct {
    int replicas = 0;
    std::int64_t local_batch_size = 0;  // 0: none did, or it does not say
  } fitted_;
};

}  // namespace batchscope::run
