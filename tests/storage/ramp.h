// SPDX-License-Identifier: Apache-2.0
//
// Values for series.
#pragma once

#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace batchscope::storage::test {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

inline std::vector<double> ramp(std::size_t count, double from = 0) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), from);
  return values;
}

}  // namespace batchscope::storage::test
