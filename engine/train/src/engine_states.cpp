// SPDX-License-Identifier: Apache-2.0
//
// Making the engine's own states, once.
#include "engine_states.h"

namespace batchscope {

void load_engine_states() {
  static bool done = false;
  if (done) return;
  done = true;  // first, because loading them comes back here
  metrics::load_metrics_state();
  load_epoch_state();
  load_rng_state();
  load_trigger_state();
  load_loops_state();
}

}  // namespace batchscope
