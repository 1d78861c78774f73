// SPDX-License-Identifier: Apache-2.0
//
// What survives a restart is a State: registered by name when it is made, saved into its own file of a
// checkpoint directory by rank 0, loaded by every replica. AdaptDL's adaptdl.checkpoint, with manifest,
// checksums, fsync and atomic rename (engine/protocol/CHECKPOINT.md).
#pragma once

#include <iosfwd>
#include <string>

namespace batchscope::checkpoint {

class State {
 public:
  // Throws Error(usage) for a second State of that name or a name that is no plain file name.
  explicit State(std::string name);
  virtual ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const std::string& name() const { return name_; }

  // Called on every replica before save, in the order of registration: gathers what only others know.
  // Collective.
  virtual void sync() {}
  // Rank 0 only.
  virtual void save(std::ostream& out) = 0;
  // Every replica, with what save wrote.
  virtual void load(std::istream& in) = 0;

 private:
  std::string name_;
};

// Loads one state from the checkpoint this generation starts from. False when there is none, or it holds no
// such state.
bool load_state(State& state);

// Saves every registered state as one checkpoint and keeps the last two (and the pinned). Collective: every
// replica calls it after the same step. Blocks until rank 0 has it on disk. Throws Error(io) on rank 0; the
// one before stays.
void save_all_states(const std::string& reason);

}  // namespace batchscope::checkpoint
