// SPDX-License-Identifier: Apache-2.0
//
// Deaths of a run's supervisor count no more when the run has trained for ten minutes since the last of them.
#pragma once

namespace batchscope::pool {

class Recovery {
 public:
  // Returns whether a run that trains, and has had so many, has got over them. `now`: s, monotonic.
  bool is_over(int deaths, double now) {
    if (deaths != deaths_) {
      deaths_ = deaths;
      since_ = now;
    }
    return deaths > 0 && now - since_ > kLongEnough;
  }

 private:
  static constexpr double kLongEnough = 600;  // s
  int deaths_ = 0;
  double since_ = 0;  // monotonic: since when there are so many
};

}  // namespace batchscope::pool
