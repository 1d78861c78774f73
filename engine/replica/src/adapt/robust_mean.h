// SPDX-License-Identifier: Apache-2.0
//
// The mean of a time that is measured again and again: outliers do not sway it, and it forgets. Each 16
// measurements make a block, whose mean leaves out the two shortest and the two longest; what counts is the
// mean of the blocks of the last ten seconds, of two at the least and 64 at most. A machine that has become
// slower is noticed in as much time as a rate is measured in (run/measured_rate.h).
#pragma once

#include <array>
#include <cstdint>

namespace batchscope::replica {

class RobustMean {
 public:
  RobustMean() = default;
  // Goes on from one that was saved.
  RobustMean(double value, std::int64_t count);

  void add(double seconds);  // positive
  double value() const;      // s; 0: nothing was measured
  std::int64_t count() const { return count_; }

 private:
  static constexpr std::size_t kBlock = 16;

  std::array<double, kBlock> block_{};
  std::size_t in_block_ = 0;
  double of_blocks_ = 0;
  std::int64_t blocks_ = 0, count_ = 0;
};

}  // namespace batchscope::replica
