// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "batchscope/protocol/telemetry.h"

namespace batchscope::testing {

// A model by which more replicas always pay. devices: 0: unknown.
inline protocol::Model paying_model(int max_profiled_replicas, std::int64_t step, int devices = 0) {
  return {.perf = protocol::PerfParams{0.01, 0.001, 0.002, 0, 0.001, 0, 2},
          .grad_sqr = 1e-4,
          .grad_var = 1,
          .init_batch_size = 64,
          .max_batch_size = 8192,
          .min_local_batch_size = 8,
          .max_local_batch_size = 256,
          .accumulation = true,
          .devices = devices,
          .max_profiled_replicas = max_profiled_replicas,
          .step = step};
}

}  // namespace batchscope::testing
