// SPDX-License-Identifier: Apache-2.0
#include "loader/prefetcher.h"

#include <string>
#include <utility>

#include "batchscope/protocol/error.h"
#include "report/telemetry_client.h"

namespace batchscope::train {

Prefetcher::Prefetcher(Make make, std::int64_t batches, Workers workers)
    : make_(std::move(make)), batches_(batches), options_(std::move(workers)) {
  for (int i = 0; i < options_.count; ++i) workers_.emplace_back([this, i] { work(i); });
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
  const auto ready = [this] { return made_.contains(handed_); };
  if (options_.timeout.count() == 0) {
    changed_.wait(lock, ready);
  } else if (!changed_.wait_for(lock, options_.timeout, ready)) {
    const std::string message =
        "data loader: the next batch did not come within " + std::to_string(options_.timeout.count()) +
        " ms: check whether the dataset hangs, raise the timeout, or set more workers";
    replica::notice("error", message);
    throw Error(ErrorKind::timeout, message);
  }
  Made made = std::move(made_.extract(handed_).mapped());
  ++handed_;
  lock.unlock();
  changed_.notify_all();
  if (made.error) std::rethrow_exception(made.error);
  return std::move(made.batch);
}

void Prefetcher::work(int worker) {
  const std::int64_t ahead = std::int64_t{options_.prefetch_factor} * options_.count;
  std::exception_ptr begin_failed;
  try {
    if (options_.begin) options_.begin(worker);
  } catch (...) {
    begin_failed = std::current_exception();
  }
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || taken_ == batches_ || taken_ < handed_ + ahead; });
    if (stop_ || taken_ == batches_) return;
    const std::int64_t number = taken_++;
    lock.unlock();
    Made made = make(number, begin_failed);
    lock.lock();
    made_.emplace(number, std::move(made));
    changed_.notify_all();
  }
}

Prefetcher::Made Prefetcher::make(std::int64_t number, const std::exception_ptr& begin_failed) const {
  if (begin_failed) return {{}, begin_failed};
  try {
    return {make_(number), nullptr};
  } catch (...) {
    return {{}, std::current_exception()};
  }
}

}  // namespace batchscope::train
