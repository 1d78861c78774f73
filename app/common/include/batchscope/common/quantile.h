// SPDX-License-Identifier: Apache-2.0
/// \file
/// A quantile as one of the values, by the nearest rank. The median of an even number of values is the larger
/// of the two in the middle.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace batchscope::common {

/// Returns the q-quantile, q being 0 to 1; reorders the values, of which there must be at least one.
inline double quantile(std::span<double> values, double q) {
  const auto at = values.begin() + std::llround(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Returns the median; reorders the values as above.
inline double median(std::span<double> values) { return quantile(values, 0.5); }

}  // namespace batchscope::common
