// SPDX-License-Identifier: Apache-2.0
//
// How long a run still takes: the fraction that is left over the speed of the last minute of training.
// The speed is the slope between the ends of that window, which averages over the plateaus of validation
// where a regression would not; the time of restarts and pauses is left out of the window, and a fraction
// that falls (an older checkpoint was restored) starts it anew.
#pragma once

#include <deque>

namespace batchscope::run {

class RemainingTime {
 public:
  void add(double mono, double fraction);
  void interrupted();  // training stands still until the next add
  void reset() { points_.clear(); }

  // Seconds; negative while nothing sensible can be said.
  double estimate() const;

 private:
  struct Point {
    double active;  // seconds of training
    double fraction;
  };

  std::deque<Point> points_;
  double active_ = 0;
  double last_ = 0;
  bool running_ = false;
};

}  // namespace batchscope::run
