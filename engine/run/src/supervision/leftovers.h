// SPDX-License-Identifier: Apache-2.0
//
// Replicas that a supervisor which was killed has left running. They notice its end, write a checkpoint and
// exit by themselves; whoever takes the run over waits for that, and ends those who take too long.
#pragma once

#include <QTimer>
#include <functional>

#include "batchscope/protocol/paths.h"
#include "supervision/tell.h"

namespace batchscope::run {

class Leftovers {
 public:
  Leftovers(const protocol::RunPaths& paths, double patience, Tell tell);

  // Calls `gone` from the event loop when none is left, which is at once where there was none.
  void await(std::function<void()> gone);

 private:
  void look();

  const protocol::RunPaths& paths_;
  const double patience_;  // s
  const Tell tell_;
  QTimer timer_;
  double deadline_ = 0;  // monotonic
  std::function<void()> gone_;
};

}  // namespace batchscope::run
