// SPDX-License-Identifier: Apache-2.0
#include "adapt/batch_size.h"

#include <utility>

#include "adapt/metrics.h"
#include "batchscope/replica/collective.h"
#include "batchscope/replica/process_group.h"

namespace batchscope::replica {
BatchShape initial_shape(std::int64_t batch_size, int replicas, const goodput::Bounds& limits) {
  const auto at = goodput::initial_configuration(batch_size, replicas, limits);
  return {at.local_batch_size, at.accumulation_steps};
}

BatchShape preferred_shape(const BatchShape& current, const BatchShape& initial,
                           const std::optional<goodput::Choice>& suggestion, std::optional<double> goodput) {
  if (!suggestion) return current.local_batch_size > 0 ? current : initial;
  const BatchShape suggested{suggestion->local_batch_size, suggestion->accumulation_steps};
  if (current.local_batch_size == 0) return suggested;
  return goodput && suggestion->goodput > kSpeedupThreshold * *goodput ? suggested : current;
}

BatchShape choose_shape(const BatchShape& current, const BatchShape& initial, const goodput::Bounds& limits) {
  BatchShape mine;
  if (replica_rank() == 0) {
    const auto suggestion = metrics::suggest(limits);  // first: it fits the model that predicts, too
    mine = preferred_shape(current, initial, suggestion,
                           metrics::predict_goodput(current.local_batch_size, current.accumulation_steps));
  }
  const auto [local_batch_size, accumulation_steps] =
      collective::broadcast("batch size", std::pair(mine.local_batch_size, mine.accumulation_steps));
  return {local_batch_size, accumulation_steps};
}

}  // namespace batchscope::replica
