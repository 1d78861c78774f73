// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/background_writer.h"

#include <chrono>
#include <utility>

namespace batchscope::replica {

void BackgroundWriter::start(Job job) {
  finish();
  overtaken_ = false;
  running_ = std::async(std::launch::async, std::move(job));
}

bool BackgroundWriter::busy() const {
  return running_.valid() && running_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

void BackgroundWriter::overtake() {
  overtaken_ = true;
  finish();
}

void BackgroundWriter::finish() {
  if (running_.valid()) running_.get();
}

}  // namespace batchscope::replica
