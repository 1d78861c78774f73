// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adapt/timer.h"

namespace batchscope::testing {

// A fake device with its own clock, which only work() advances. A moment can be read after wait().
class Device final : public replica::Timer {
 public:
  void work(double seconds) { queued_ += seconds; }
  void wait() { reached_ = queued_; }

  Moment now() override { return {0, std::make_shared<double>(queued_)}; }
  double seconds(const Interval& interval) override {
    stalled = stalled || at(interval.to) > reached_;
    return at(interval.to) - at(interval.from);
  }
  bool at_once() const override { return false; }

  bool stalled = false;  // a time was asked for that had not come

 private:
  static double at(const Moment& moment) { return *static_cast<const double*>(moment.event.get()); }
  double queued_ = 0, reached_ = 0;
};

}  // namespace batchscope::testing
