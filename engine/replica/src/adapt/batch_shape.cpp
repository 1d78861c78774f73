// SPDX-License-Identifier: Apache-2.0
#include "adapt/batch_shape.h"

#include <algorithm>
#include <cmath>

namespace batchscope::replica {

goodput::Bounds within_reach(goodput::Bounds limits, const Seen& seen, std::int64_t initial_batch_size,
                             int replicas) {
  const auto narrow = [](std::int64_t& limit, std::int64_t reach) {
    limit = limit > 0 ? std::min(limit, reach) : reach;
  };
  if (seen.local_batch_size > 0)
    narrow(limits.max_local, std::max({2 * seen.local_batch_size, limits.min_local,
                                       (initial_batch_size + replicas - 1) / replicas}));
  if (seen.batch_size == 0 || limits.max_batch_size == 0) return limits;
  const auto least = std::max(initial_batch_size, limits.min_local * replicas);
  narrow(limits.max_batch_size, std::max(4 * seen.batch_size, least));
  if (seen.sure > 0) narrow(limits.max_batch_size, std::max({seen.sure, 2 * seen.batch_size, least}));
  if (seen.left > seen.batch_size) {
    const double between = std::sqrt(static_cast<double>(seen.batch_size) * static_cast<double>(seen.left));
    narrow(limits.max_batch_size, std::max(static_cast<std::int64_t>(between), least));
  }
  return limits;
}

BatchShape initial_shape(std::int64_t batch_size, int replicas, const goodput::Bounds& limits) {
  const auto at = goodput::initial_configuration(batch_size, replicas, limits);
  return {at.local_batch_size, at.accumulation_steps};
}

BatchShape preferred_shape(const BatchShape& current, const BatchShape& initial,
                           const std::optional<Suggestion>& suggestion, std::optional<double> goodput) {
  if (!suggestion) return current.local_batch_size > 0 ? current : initial;
  const auto& [choice, promise] = *suggestion;
  const BatchShape suggested{choice.local_batch_size, choice.accumulation_steps};
  if (current.local_batch_size == 0) return suggested;
  const bool is_better = goodput && choice.goodput > *goodput && promise > kSpeedupThreshold * *goodput;
  return is_better ? suggested : current;
}

}  // namespace batchscope::replica
