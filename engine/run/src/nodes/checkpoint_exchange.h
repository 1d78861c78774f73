// SPDX-License-Identifier: Apache-2.0
//
// The stand-in's side of checkpoints, where its node does not see the run's folder: what is offered of that
// folder before the replica begins, and what comes into it from the replica.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "nodes/checkpoint_transfer.h"
#include "nodes/frame.h"
#include "nodes/messages.h"

namespace batchscope::run {

class CheckpointExchange {
 public:
  // `folder`: of the run's checkpoints. `unloadable`: those to pass over, by name with the reason.
  CheckpointExchange(std::filesystem::path folder, const std::map<std::string, std::string>& unloadable);

  // Returns the newest good one, as it was when this object was made.
  const OfferedCheckpoint& offer() const { return offer_; }
  // Hands its frames to `send`. Throws Error, and what `send` throws.
  void send(const std::function<void(FrameKind kind, std::string_view bytes)>& send) const;

  // Takes a checkpoint from the node: `checkpoint`, `state` or `spoilt`. What is wrong with it is said by
  // told().
  void take(const Frame& frame);
  // Returns the telemetry for the supervisor in place of this line, which tells that a checkpoint is written:
  // the same where the checkpoint is in the run's folder, else a notice of why it is not. Periodic ones that
  // fail in a row are told of once; then nothing is returned.
  std::string told(std::string_view line);
  // Removes what the last that came makes superfluous. Nobody should wait for it.
  void tidy() const;

 private:
  const std::filesystem::path folder_;
  OfferedCheckpoint offer_;
  std::set<std::filesystem::path> passed_over_;
  std::optional<CheckpointReceiver> receiver_;
  std::string kept_;     // the name of the last one that came whole
  std::string trouble_;  // with the one that comes
  bool failing_ = false;
};

}  // namespace batchscope::run
