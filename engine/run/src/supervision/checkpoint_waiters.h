// SPDX-License-Identifier: Apache-2.0
//
// The clients that have asked for a checkpoint and wait for it. One checkpoint answers all of them: any
// replica's signal makes all of them agree to write one.
#pragma once

#include <vector>

#include "batchscope/protocol/telemetry.h"
#include "socket/control_server.h"

namespace batchscope::run {

class CheckpointWaiters {
 public:
  // Each waits for so many seconds.
  explicit CheckpointWaiters(double patience) : patience_(patience) {}

  void add(const ControlServer::Responder& responder, double now);
  void written(const protocol::CheckpointWritten& checkpoint);
  void refuse(const Error& why);
  void time_out(double now);  // of those who have waited long enough

 private:
  struct Waiter {
    ControlServer::Responder responder;
    double deadline;
  };

  const double patience_;
  std::vector<Waiter> waiters_;
};

}  // namespace batchscope::run
