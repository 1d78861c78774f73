// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/pool.h"

#include <fmt/core.h>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/replicas.h"

namespace batchscope::protocol {

void PoolSettings::check() const {
  if (policy != "fair" && policy != "fast")
    throw Error(ErrorKind::usage, fmt::format("the pool's policy '{}': expected fair or fast", policy));
  if (devices < 0 || devices > kMostReplicas)
    throw Error(ErrorKind::usage,
                fmt::format("{} devices for the pool: expected 1 to {}, or 0 for all there are", devices,
                            kMostReplicas));
  // Written so that a NaN is in no range.
  if (!(turn >= 1 && turn <= 86'400))
    throw Error(ErrorKind::usage, fmt::format("turns of {} s: expected 1 s to a day", turn));
  if (!(price_per_device_hour >= 0 && price_per_device_hour <= 1e9))
    throw Error(ErrorKind::usage,
                fmt::format("a price of {} per hour and device: expected 0 to 1e9", price_per_device_hour));
}

}  // namespace batchscope::protocol
