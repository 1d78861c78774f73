// SPDX-License-Identifier: GPL-3.0-or-later
//
// A quantile as one of the values: that of the nearest rank, which of an even number in the middle is the
// larger one.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace batchscope::desktop {

// Reorders the values, of which there is at least one.
inline double quantile(std::span<double> values, double q) {
  const auto at = values.begin() + std::llround(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

inline double median(std::span<double> values) { return quantile(values, 0.5); }

}  // namespace batchscope::desktop
