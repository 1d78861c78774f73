// SPDX-License-Identifier: Apache-2.0
//
// The checkpoints of a run as what it may go back to: those that are in memory yet, those that its replicas
// could not load and pass over, and what a restart from the newest good one costs.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/storage/catalogue.h"
#include "record/volatile_checkpoints.h"
#include "state/run_board.h"

namespace batchscope::run {

class RunCheckpoints {
 public:
  explicit RunCheckpoints(const protocol::RunPaths& paths);

  VolatileCheckpoints& in_memory() { return in_memory_; }

  // A run whose checkpoints are gone does not begin again from nothing by itself: throws Error(not_found).
  void require_any(storage::Catalogue& catalogue, const std::string& run) const;

  // Returns the checkpoints that could not be loaded, by name with the reason.
  const std::map<std::string, std::string>& unloadable() const { return unloadable_; }
  // Whether a checkpoint that had been good so far is passed over from the next generation on, for this
  // failure.
  bool pass_over(const protocol::Failure& failure);
  void written(const std::string& name) { unloadable_.erase(name); }

  // "checkpoint-000003 (step 100), so that 23 steps with 736 samples are repeated". Of a generation that has
  // brought the run to where the board has it. A program that makes no checkpoints may have a snapshot of its
  // own.
  std::string restart_point(const RunBoard& board, int generation, bool makes_checkpoints) const;

 private:
  std::string repeated_from(std::int64_t step, const RunBoard& board, int generation) const;

  const protocol::RunPaths& paths_;
  VolatileCheckpoints in_memory_;
  std::map<std::string, std::string> unloadable_;
};

}  // namespace batchscope::run
