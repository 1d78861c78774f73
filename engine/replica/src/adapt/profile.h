// SPDX-License-Identifier: Apache-2.0
//
// Measured step times by configuration: what the performance model is fitted to. Each is a robust mean
// (robust_mean.h); rows of few steps weigh little. Rows are bounded; the one that was measured longest ago
// goes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "adapt/robust_mean.h"
#include "batchscope/goodput/fit.h"
#include "batchscope/protocol/json.h"

namespace batchscope::replica {

class Profile {
 public:
  struct Key {
    int nodes = 1, replicas = 1;
    std::int64_t local_batch_size = 1;
    bool shared = false;  // several replicas on one device
    int cores = 0;        // of each replica; 0: unknown, or it computes on something else
    int neighbours = 0;   // replicas on one node at a time, this one included; 0: unknown
    auto operator<=>(const Key&) const = default;
  };

  // Each for a replica with a device to itself; where devices are shared, what of the measured time falls to
  // one of those that take turns. Seconds of a micro-batch that only accumulates; of one that synchronises
  // (waiting sync_seconds) and updates.
  static constexpr std::int64_t kEnough = 10;  // steps

  void add_accumulation(const Key& key, double seconds);
  void add_optimizer(const Key& key, double seconds, double sync_seconds);

  std::int64_t measured() const { return measured_; }  // optimizer micro-batches so far
  int max_replicas() const;                            // 0: none yet
  struct Range {
    std::int64_t least = 0, most = 0;
  };
  Range local_batch_sizes() const;               // whose steps were measured; 0: none yet
  Range local_batch_sizes_like(Key like) const;  // of those with this configuration otherwise

  // Seconds of the optimizer alone, by the steps that accumulated: what their last micro-batch took longer
  // than the others, without its waiting. 0: no configuration has accumulated often enough.
  double update_time() const;

  // Seconds of a step, as add_* were told them; none where fewer than kEnough were measured.
  std::optional<double> step_time(const Key& key, int accumulation_steps) const;

  // One row for each configuration with an optimizer time. Those of shared devices only where there are no
  // others: replicas that left a device idle share it for less than taking turns, so that such rows would
  // make a replica with a device to itself too fast. Those of unknown cores, which earlier versions measured,
  // give way to others in the same way. All times are less `update`, so that those of accumulation mean one
  // thing: where nothing accumulated, they are the optimizer's without its waiting. A row weighs as many
  // steps as it has, over the 50 from which it counts in full.
  std::vector<goodput::ProfileRow> rows(double update = 0) const;

  protocol::Json json() const;
  static Profile from_json(const protocol::Json& json);

 private:
  struct Row {
    RobustMean accumulation, optimizer, sync;
    std::int64_t last = 0;  // measured_ when it was last added to
  };
  Row& row(const Key& key);
  template <typename Wanted>
  Range range(Wanted wanted) const;
  double age_of(const Row& row) const;  // as in goodput::ProfileRow

  std::map<Key, Row> rows_;
  std::int64_t measured_ = 0;
};

}  // namespace batchscope::replica
