// SPDX-License-Identifier: Apache-2.0
//
// A thread that writes one checkpoint while training goes on. What is being written may be overtaken: a
// planned checkpoint is newer, and somebody waits for it.
#pragma once

#include <atomic>
#include <functional>
#include <future>

namespace batchscope::replica {

class BackgroundWriter {
 public:
  // Looks at overtaken() now and then, and gives up when it is so. Throws nothing.
  using Job = std::function<void()>;

  BackgroundWriter() = default;
  ~BackgroundWriter() { finish(); }
  BackgroundWriter(const BackgroundWriter&) = delete;
  BackgroundWriter& operator=(const BackgroundWriter&) = delete;

  void start(Job job);  // when it is not busy
  bool busy() const;
  bool overtaken() const { return overtaken_; }

  void overtake();  // waits until the job has given up, or has finished before it could
  void finish();    // waits until the job is done

 private:
  std::atomic<bool> overtaken_ = false;
  std::future<void> running_;
};

}  // namespace batchscope::replica
