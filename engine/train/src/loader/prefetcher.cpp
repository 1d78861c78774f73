// SPDX-License-Identifier: Apache-2.0
#include "loader/prefetcher.h"

#include <utility>

namespace batchscope::train {

Prefetcher::Prefetcher(Make make, std::int64_t batches, int workers)
    : make_(std::move(make)), batches_(batches), ahead_(2 * workers) {
  for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

Batch Prefetcher::next() {
  if (workers_.empty()) return make_(handed_++);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return made_.contains(handed_); });
  Made made = std::move(made_.extract(handed_).mapped());
  ++handed_;
  lock.unlock();
  changed_.notify_all();
  if (made.error) std::rethrow_exception(made.error);
  return std::move(made.batch);
}

void Prefetcher::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || taken_ == batches_ || taken_ < handed_ + ahead_; });
    if (stop_ || taken_ == batches_) return;
    const std::int64_t number = taken_++;
    lock.unlock();
    Made made;
    try {
      made.batch = make_(number);
    } catch (...) {
      made.error = std::current_exception();
    }
    lock.lock();
    made_.emplace(number, std::move(made));
    changed_.notify_all();
  }
}

}  // namespace batchscope::train
