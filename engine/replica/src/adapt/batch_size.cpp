// SPDX-License-Identifier: Apache-2.0
#include "adapt/batch_size.h"

#include <utility>

#include "adapt/metrics.h"
#include "batchscope/replica/collective.h"
#include "batchscope/replica/process_group.h"
#include "process/session.h"

namespace batchscope::replica {

namespace {

// Rank 0 has it.
struct History {
  BatchShape before;                       // what is in force; {}: nobody knows
  std::int64_t left = 0, until = 0;        // a step that was left, and how many steps it is kept away from
  std::int64_t patience = 8 * kFirstLook;  // steps; twice as many each time
};

BatchShape chosen(const BatchShape& current, const BatchShape& initial, const goodput::Bounds& limits,
                  std::int64_t before) {
  History& history = session().part<History>();
  const bool goes_on = current.local_batch_size > 0;
  const std::int64_t batch_size = goes_on ? current.batch_size(num_replicas()) : before;
  if (metrics::steps() >= history.until) history.left = 0;
  auto suggestion =
      metrics::suggest(limits, batch_size, history.left);  // first: it fits the model that predicts, too
  if (!suggestion && !goes_on) suggestion = metrics::suggest(limits, 0, history.left);
  const auto obtained = metrics::measured_goodput(current), once = metrics::measured_goodput(history.before);
  const bool fits = limits.max_local == 0 ||
                    history.before.local_batch_size <= limits.max_local;  // memory may have run out
  if (fits && obtained && once && *once > kClearlyMore * *obtained) {
    history.left = batch_size;
    history.until = metrics::steps() + std::exchange(history.patience, 2 * history.patience);
    return std::exchange(history.before, {});
  }
  const BatchShape preferred =
      preferred_shape(current, initial, suggestion,
                      metrics::predict_goodput(current.local_batch_size, current.accumulation_steps));
  if (preferred != current) history.before = current;
  return preferred;
}

}  // namespace

BatchShape choose_shape(const BatchShape& current, const BatchShape& initial, const goodput::Bounds& limits,
                        std::int64_t before) {
  BatchShape mine;
  if (replica_rank() == 0) mine = chosen(current, initial, limits, before);
  const auto [local_batch_size, accumulation_steps] =
      collective::broadcast("batch size", std::pair(mine.local_batch_size, mine.accumulation_steps));
  return {local_batch_size, accumulation_steps};
}

}  // namespace batchscope::replica
