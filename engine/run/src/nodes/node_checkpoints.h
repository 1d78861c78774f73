// SPDX-License-Identifier: Apache-2.0
//
// A node's own folder of a run's checkpoints, where it does not see the run's: its replicas begin from what
// is there and write there. Nothing in it is the only copy of anything that the supervisor knows of.
#pragma once

#include <filesystem>

#include "nodes/messages.h"

namespace batchscope::run {

class NodeCheckpoints {
 public:
  // Makes the folder, private. Throws Error(io).
  explicit NodeCheckpoints(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  // Makes the folder hold what the supervisor's does, as far as a replica is to know of it: the newest good
  // checkpoint, and the names of later ones, which count. Whatever else there is goes: a checkpoint that did
  // not reach the supervisor must not be gone on from. Returns whether the newest one is missing.
  bool lacks(const OfferedCheckpoint& offer) const;

 private:
  const std::filesystem::path folder_;
};

}  // namespace batchscope::run
