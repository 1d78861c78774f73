// SPDX-License-Identifier: Apache-2.0
//
// The step in flight: what the loader decides with each batch and AdaptiveDataParallel needs to know in
// backward and step(). One per process; without a loader it stays at its defaults, a plain step.
#pragma once

#include <cstdint>

#include "process/session.h"

namespace batchscope::replica {

struct StepContext {
  std::int64_t initial_batch_size = 0;  // the loader's batch_size; 0: no loader has been used yet
  std::int64_t local_batch_size = 0;    // nominal samples per replica and micro-batch
  int accumulation_steps = 0;           // micro-batches beyond the first
  int micro_batches = 0;                // of the initial batch size, that each replica takes whatever comes
  int micro_step = 0;                   // of this batch; the last step of a pass may have fewer than others
  bool optimizer_step = true;           // this batch is the last of its step: synchronise and update
  // Weight of this micro-batch's mean gradient: averaging the weighted gradients over all replicas and
  // micro-batches of the step gives the mean over the step's real samples. 1 where the step is even, 0 for
  // pure padding.
  double gradient_weight = 1;
  bool even = true;          // every replica and micro-batch of this step holds local_batch_size real samples
  std::int64_t samples = 0;  // real samples of this step, all replicas and micro-batches so far
};

inline StepContext& step_context() { return session().part<StepContext>(); }

}  // namespace batchscope::replica
