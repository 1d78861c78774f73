// SPDX-License-Identifier: Apache-2.0
#include "ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace batchscope::sweep {

std::vector<const Trial*> ranked(std::span<const Trial> trials) {
  std::vector<const Trial*> ranked;
  for (const Trial& trial : trials)
    if (trial.cost) ranked.push_back(&trial);
  static constexpr double kAll = std::numeric_limits<double>::infinity();
  std::ranges::stable_sort(ranked, {}, [](const Trial* trial) {
    return std::tuple(!std::isfinite(*trial->cost), -trial->reached.value_or(kAll), *trial->cost);
  });
  return ranked;
}

}  // namespace batchscope::sweep
