// SPDX-License-Identifier: Apache-2.0
//
// How many samples a replica has memory for at a time, searched by the failures of one run: half of what
// failed, until a number of samples is known that fitted and is not less than half of what failed; from there
// on the middle of the two, until they are within 10 % of each other. So a bound that is 2^n times too large
// takes n failures. A failure costs what was trained since the last checkpoint, so that nothing above the
// bound is tried again in the same run.
#pragma once

#include <cstdint>

namespace batchscope::run {

class MemoryLimit {
 public:
  // A step was finished with so many samples at a time.
  void fitted(std::int64_t local);

  // Memory ran out at `local` samples. Returns the most that a replica is to take from now on, fewer than
  // that; 0 where there is nothing to lower. What has fitted before and does not any more is lowered by 10 %.
  std::int64_t ran_out(std::int64_t local);

 private:
  std::int64_t fitted_ = 0;  // the most; 0: unknown
};

}  // namespace batchscope::run
