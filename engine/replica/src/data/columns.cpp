// SPDX-License-Identifier: Apache-2.0
#include "data/columns.h"

#include <algorithm>
#include <numeric>

namespace batchscope::replica {

std::vector<std::int64_t> column_order(std::int64_t windows, const std::vector<Cut>& cuts) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(windows));
  std::iota(order.begin(), order.end(), 0);
  for (const Cut& cut : cuts) {
    const auto left = order.begin() + cut.start;
    std::sort(left, order.end());
    const std::vector<std::int64_t> text(left, order.end());
    const std::int64_t rest = std::ssize(text), whole = rest / cut.width, longer = rest % cut.width;
    for (std::int64_t at = 0; at < rest; ++at) {
      const std::int64_t column = at % cut.width, row = at / cut.width;
      left[at] = text[static_cast<std::size_t>(column * whole + std::min(column, longer) + row)];
    }
  }
  return order;
}

}  // namespace batchscope::replica
