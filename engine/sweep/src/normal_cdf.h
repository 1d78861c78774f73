// SPDX-License-Identifier: Apache-2.0
//
// The standard normal distribution function: the probability of a value below z.
#pragma once

#include <cmath>
#include <numbers>

namespace batchscope::sweep {

inline double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

}  // namespace batchscope::sweep
