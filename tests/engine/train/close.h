// SPDX-License-Identifier: Apache-2.0
//
// Numbers that are equal but for rounding.
#pragma once

#include <cmath>

// Returns whether `is` differs from `should` by at most a relative 1e-12, which sums in double precision
// keep.
inline bool close(double is, double should, double relative = 1e-12) {
  return std::abs(is - should) <= relative * std::abs(should);
}

// The same for what was computed in single precision.
inline bool close_in_single(double is, double should) { return close(is, should, 1e-6); }
