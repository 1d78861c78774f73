// SPDX-License-Identifier: Apache-2.0
//
// An attempt to have a run on other devices, or on none. One that does not get there is made again after
// twice the time.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace batchscope::pool {

class Attempt {
 public:
  const std::vector<std::string>& target() const { return target_; }

  // Returns whether it is too early to ask for the same again. `now`: s, monotonic.
  bool rests(const std::vector<std::string>& target, double now) const {
    return patience_ > 0 && target == target_ && now < next_;
  }

  void begin(const std::vector<std::string>& target, double now) {
    patience_ = patience_ > 0 && target == target_ ? std::min(2 * patience_, kLongest) : kFirst;
    target_ = target;
    next_ = now + patience_;
  }

 private:
  static constexpr double kFirst = 5, kLongest = 600;  // s
  std::vector<std::string> target_;
  double next_ = 0, patience_ = 0;  // monotonic; s, 0: nothing was asked for yet
};

}  // namespace batchscope::pool
