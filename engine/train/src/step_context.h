// SPDX-License-Identifier: Apache-2.0
//
// The step in flight: what the loader decides with each batch and AdaptiveDataParallel needs to know in
// backward and step(). One per process; without a loader it stays at its defaults, a plain step.
#pragma once

#include <cstdint>

namespace batchscope {

struct StepContext {
  std::int64_t initial_batch_size = 0;   // the loader's batch_size; 0: no loader has been used yet
  std::int64_t local_batch_size = 0;     // nominal samples per replica and micro-batch
  int accumulation_steps = 0;            // micro-batches beyond the first
  int micro_step = 0;                    // of this batch, 0 .. accumulation_steps
  bool optimizer_step = true;            // this batch is the last of its step: synchronise and update
  double gradient_weight = 1;            // n_local * replicas / n_total of this micro-batch; 0 for pure padding
  bool even = true;                      // every replica and micro-batch of this step holds local_batch_size real samples
  std::int64_t samples = 0;              // real samples of this step, all replicas and micro-batches so far
};

StepContext& step_context();

}  // namespace batchscope
