// SPDX-License-Identifier: Apache-2.0
#include "adapt/model_fitter.h"

#include <utility>

#include "batchscope/protocol/quiet_thread.h"

namespace batchscope::replica {

ModelFitter::~ModelFitter() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ModelFitter::fit(std::vector<goodput::ProfileRow> rows, const goodput::FirstGuess& guess, Done done) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = Request{std::move(rows), guess, std::move(done)};
  }
  changed_.notify_all();
  if (thread_.joinable()) return;
  thread_ = protocol::quiet_thread([this] { run(); });
}

void ModelFitter::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !waiting_ && !busy_; });
}

std::optional<goodput::PerfParams> ModelFitter::model() const {
  const std::lock_guard lock(mutex_);
  return model_;
}

void ModelFitter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || waiting_; });
    if (stop_) return;
    const Request request = *std::exchange(waiting_, {});
    busy_ = true;
    lock.unlock();
    const goodput::PerfParams perf = request.done(goodput::fit(request.rows, request.guess));
    lock.lock();
    model_ = perf;
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace batchscope::replica
