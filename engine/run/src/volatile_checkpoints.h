// SPDX-License-Identifier: Apache-2.0
//
// A run's place in memory for the checkpoints that its restarts begin with (protocol's
// volatile_checkpoint.h): made and locked as long as the run has a supervisor, and emptied onto the disk by a
// thread, which has time as soon as the new generation trains. What a supervisor that was killed left in
// memory is put on disk, or removed where nobody refers to it any more, by the next one that starts, of
// whichever run.
#pragma once

#include <filesystem>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/paths.h"

namespace batchscope::run {

class VolatileCheckpoints {
 public:
  // Takes care of what others left, and makes the place. Where it cannot be made, checkpoints go to disk.
  explicit VolatileCheckpoints(const protocol::RunPaths& paths);
  ~VolatileCheckpoints();
  VolatileCheckpoints(const VolatileCheckpoints&) = delete;
  VolatileCheckpoints& operator=(const VolatileCheckpoints&) = delete;

  // Begins to put what is in memory on disk.
  void persist();
  // Returns when it is there, or cannot be.
  void settle();
  // Sentences for the person, once each: what was lost, and what cannot be put on disk.
  std::vector<std::string> take_news();

 private:
  void write_out();
  void tell(const std::string& sentence);
  void remove_lost();
  void make_place();

  const protocol::RunPaths paths_;
  int lock_ = -1;
  std::future<void> running_;
  std::mutex mutex_;
  std::vector<std::string> news_;
  bool failing_ = false;
};

}  // namespace batchscope::run
