// SPDX-License-Identifier: Apache-2.0
//
// The clock by which steps are timed: that of what computes. A device works off a queue, so that the host's
// clock would time the handing out of work and not the work; and to wait for the device, only to read a time,
// would stall it. So a moment is marked where the work is handed out, comes when the device has got there,
// and is asked for a step later, when the device has been waited for anyway.
#pragma once

#include <memory>

#include "batchscope/protocol/telemetry.h"

namespace batchscope::replica {

class Timer {
 public:
  struct Moment {
    double seconds = 0;           // monotonic, where it is known at once
    std::shared_ptr<void> event;  // else what the timer has put into the queue
  };
  struct Interval {
    Moment from, to;
  };

  virtual ~Timer() = default;

  // When all is done that was handed out so far. Never blocks.
  virtual Moment now() = 0;
  // Waits until both have come.
  virtual double seconds(const Interval& interval) = 0;
  // Moments are known at once: work is done when it is handed out.
  virtual bool at_once() const = 0;
};

// A timer for programs that compute on the host.
class HostTimer final : public Timer {
 public:
  Moment now() override { return {protocol::monotonic_seconds(), nullptr}; }
  double seconds(const Interval& interval) override { return interval.to.seconds - interval.from.seconds; }
  bool at_once() const override { return true; }
};

// This process's: a HostTimer, unless another was set before the first step.
Timer& timer();
void set_timer(std::unique_ptr<Timer> timer);

}  // namespace batchscope::replica
