// SPDX-License-Identifier: Apache-2.0
//
// After a step whose averaged gradient held NaN or infinity and which was therefore applied on no replica:
// go on, and say so now and then, or leave for the last checkpoint, as the policy says (protocol's
// non_finite.h). Going on has its limits: where NaN has got into the model's buffers (the running statistics
// of a normalisation see every batch), or where one step after the other fails, nothing but an earlier state
// helps.
#pragma once

#include <cstdint>

namespace batchscope::replica {

struct NonFiniteStep {
  std::int64_t step = 0;        // as steps are counted from 1
  std::int64_t count = 0;       // of such steps in the whole run, this one included
  std::int64_t in_a_row = 0;    // up to this one
  bool buffers_spoilt = false;  // hold NaN
};

// The same on every replica, called on each; may not return.
void after_non_finite_step(const NonFiniteStep& step);

}  // namespace batchscope::replica
