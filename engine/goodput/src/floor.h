// SPDX-License-Identifier: Apache-2.0
//
// AdaptDL's floor in place of zero: under every alpha and beta, under the number of replicas beyond two, and
// for the link that a single replica does not have.
#pragma once

namespace batchscope::goodput {

inline constexpr double kFloor = 1e-8;

}  // namespace batchscope::goodput
