// SPDX-License-Identifier: Apache-2.0
#include "supervision/leftovers.h"

#include <signal.h>

#include <chrono>
#include <utility>

#include "record/predecessor.h"
#include "words.h"

namespace batchscope::run {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(50);

}  // namespace

Leftovers::Leftovers(const protocol::RunPaths& paths, double patience, Tell tell)
    : paths_(paths), patience_(patience), tell_(std::move(tell)) {
  QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] { look(); });
}

void Leftovers::await(std::function<void()> gone) {
  const auto left = leftover_replicas(paths_);
  if (left.empty()) return QTimer::singleShot(0, &timer_, std::move(gone));
  tell_("warning", replica_count_text(static_cast<int>(left.size())) +
                       " of an earlier supervisor still run; waiting for their checkpoint");
  gone_ = std::move(gone);
  deadline_ = protocol::monotonic_seconds() + patience_;
  timer_.start(kInterval);
}

void Leftovers::look() {
  const auto left = leftover_replicas(paths_);
  if (left.empty()) {
    timer_.stop();
    gone_();
  } else if (protocol::monotonic_seconds() > deadline_) {
    for (const ProcessId& replica : left) ::kill(-replica.pid, SIGKILL);
  }
}

}  // namespace batchscope::run
