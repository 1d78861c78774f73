// SPDX-License-Identifier: Apache-2.0
/// \file
/// A State survives restarts: it is registered by name when it is made, saved by rank 0 into its own file of
/// a checkpoint directory, and loaded by every replica. This is AdaptDL's adaptdl.checkpoint, with manifest,
/// checksums, fsync and atomic rename (engine/protocol/CHECKPOINT.md). Checkpoints lie in
/// ADAPTDL_CHECKPOINT_PATH, or else in `<program name>.checkpoints` in the working directory. A program that
/// is started again there resumes; without that directory it starts from the beginning. The engine's own
/// states (metrics, epochs, random numbers, triggers) come with the first state that is made. Every
/// BATCHSCOPE_CHECKPOINT_INTERVAL seconds (60; 0: never) of a loop over data they are checkpointed in the
/// background, so that a crash costs little.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace batchscope::checkpoint {

/// Something that survives restarts, as plain bytes of its own.
class State {
 public:
  /// Throws Error(usage) for a second State of that name or a name that is not a plain file name.
  explicit State(std::string name);
  virtual ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const std::string& name() const { return name_; }  ///< of its file in the checkpoint

  /// Called on every replica before save, in the order of registration, to gather what only other replicas
  /// know. Collective.
  virtual void sync() {}
  /// Writes the state. Rank 0 only.
  virtual void save(std::ostream& out) = 0;
  /// Rank 0 only: a function that writes what save would write now, later and on another thread, while
  /// training goes on; it must not touch the state. Training waits for this copy. The default saves into
  /// memory.
  using Writer = std::function<void(std::ostream&)>;
  /// See Writer.
  virtual Writer snapshot();
  /// Reads what save wrote, on every replica. What it throws ends load_state.
  virtual void load(std::istream& in) = 0;

 private:
  std::string name_;
};

/// Loads one state from the checkpoint that this generation starts from, the newest that verifies. Returns
/// false where there is none, or it holds no such state. The first call is collective.
bool load_state(State& state);

/// Saves every registered state as one checkpoint and keeps the last two, and those of the reason "manual",
/// which are pinned. Collective: every replica calls it after the same step. Blocks until rank 0 has it on
/// disk. Throws Error(io) on every replica when rank 0 cannot write it, and the ones before stay;
/// Error(usage) inside a loop over data, where requests (SIGUSR1) and triggers are the way.
void save_all_states(const std::string& reason);

}  // namespace batchscope::checkpoint
