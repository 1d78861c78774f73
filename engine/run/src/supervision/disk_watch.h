// SPDX-License-Identifier: Apache-2.0
//
// The room on the disk that a run's checkpoints go to, which others fill as well.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "supervision/tell.h"

namespace batchscope::run {

class DiskWatch {
 public:
  DiskWatch(std::filesystem::path checkpoints, Tell tell);

  // Takes the size of the newest checkpoint, which the next one will need too.
  void checkpoint_takes(std::int64_t bytes) { checkpoint_bytes_ = bytes; }

  // Why there is no room for another checkpoint, and what would make some; empty while there is.
  std::string full() const;

  // Warns while there is room for an event yet, and again when there had been enough room in between. Call it
  // now and then.
  void check();

 private:
  std::int64_t wanted() const;

  const std::filesystem::path checkpoints_;
  const Tell tell_;
  std::int64_t checkpoint_bytes_ = 0;
  bool reported_ = false;
};

}  // namespace batchscope::run
