// SPDX-License-Identifier: Apache-2.0
//
// Collates batches ahead of the training loop: workers take numbers in turn, at most so many batches a worker
// are ready or in the making, and next() hands them out in order. Without workers next() collates itself. An
// exception of the dataset comes out of the next() whose batch it was, one of a worker's beginning out of
// each that this worker should have made.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "batchscope/train/dataset.h"

namespace batchscope::train {

class Prefetcher {
 public:
  using Make = std::function<Batch(std::int64_t number)>;  // called from worker threads

  struct Workers {
    int count = 0;
    int prefetch_factor = 2;
    std::function<void(int worker)> begin = {};
    std::chrono::milliseconds timeout{0};  // of next(); 0: none
  };

  Prefetcher(Make make, std::int64_t batches, Workers workers);
  ~Prefetcher();  // waits for the batches in the making

  // Blocks until it is ready; at most `batches` times. Throws Error(timeout).
  Batch next();

 private:
  struct Made {
    Batch batch;
    std::exception_ptr error;
  };
  void work(int worker);
  Made make(std::int64_t number, const std::exception_ptr& begin_failed) const;

  const Make make_;
  const std::int64_t batches_;
  const Workers options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::int64_t, Made> made_;
  std::int64_t taken_ = 0;   // the next number for a worker
  std::int64_t handed_ = 0;  // the next number for the loop
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace batchscope::train
