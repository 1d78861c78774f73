// SPDX-License-Identifier: Apache-2.0
//
// How large a step is: samples per replica and micro-batch, and micro-batches. Chosen at the boundary of a
// pass: what goodput prefers, if it promises at least 1.05 of the goodput of what is in force.
#pragma once

#include <cstdint>
#include <optional>

#include "batchscope/goodput/model.h"

namespace batchscope::replica {

struct BatchShape {
  std::int64_t local_batch_size = 0;  // 0: not chosen yet
  int accumulation_steps = 0;
  bool operator==(const BatchShape&) const = default;

  std::int64_t batch_size(int replicas) const {
    return local_batch_size * (accumulation_steps + 1) * replicas;
  }
};

inline constexpr double kSpeedupThreshold = 1.05;

// goodput::initial_configuration.
BatchShape initial_shape(std::int64_t batch_size, int replicas, const goodput::Bounds& limits);

// Returns the shape in force, or the one that goodput suggests: the first suggestion, and later ones that
// promise more than kSpeedupThreshold times the goodput predicted of the present shape. current: {} before
// the first.
BatchShape preferred_shape(const BatchShape& current, const BatchShape& initial,
                           const std::optional<goodput::Choice>& suggestion, std::optional<double> goodput);

// Rank 0's choice, on every replica. Collective.
BatchShape choose_shape(const BatchShape& current, const BatchShape& initial, const goodput::Bounds& limits);

}  // namespace batchscope::replica
