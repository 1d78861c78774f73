// SPDX-License-Identifier: Apache-2.0
#include "store/worker.h"

#include <utility>

namespace batchscope::web {

Worker::Worker() {
  thread_.setMaxThreadCount(1);
  thread_.setExpiryTimeout(-1);
}

Worker::~Worker() {
  thread_.clear();
  thread_.waitForDone();
}

void Worker::post(Job job) {
  thread_.start([this, job = std::move(job)] {
    if (Rest rest = job(store_)) QMetaObject::invokeMethod(&home_, std::move(rest), Qt::QueuedConnection);
  });
}

}  // namespace batchscope::web
