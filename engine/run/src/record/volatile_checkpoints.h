// SPDX-License-Identifier: Apache-2.0
//
// A run's place in memory for the checkpoints that its restarts begin with (protocol's
// volatile_checkpoint.h): made and locked as long as the run has a supervisor, and emptied onto the disk by a
// thread, which has time as soon as the new generation trains. What a supervisor that was killed left in
// memory is put on disk, or removed where nobody refers to it any more, by the next one that starts, of
// whichever run.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <mutex>
#include <set>
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

  // Where replicas may write: the place, while it is ours and we have it locked; empty where it is not.
  std::filesystem::path place() const { return lock_ < 0 ? std::filesystem::path() : paths_.memory; }

  // Begins to put what is in memory on disk.
  void persist();
  // Returns when it is there, or cannot be.
  void settle();
  // persist(), where the disk had no room for some time.
  void try_again();

  // News for the person, once each: what was lost, what cannot be put on disk, and that it can again.
  struct News {
    std::string level, text;
  };
  std::vector<News> take_news();

  // The names of those that went down with the machine.
  const std::set<std::string>& lost() const { return lost_; }

 private:
  bool take_request();
  void write_out();
  void keep_newest();
  void tell(const std::string& level, const std::string& text);
  void remove_lost();
  void make_place();

  const protocol::RunPaths paths_;
  int lock_ = -1;
  std::future<void> running_;
  std::mutex mutex_;
  bool wanted_ = false, writing_ = false;
  std::vector<News> news_;
  std::set<std::string> lost_;
  std::atomic<bool> failing_ = false;
  std::chrono::steady_clock::time_point tried_{};
};

}  // namespace batchscope::run
