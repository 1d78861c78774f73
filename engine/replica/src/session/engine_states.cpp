// SPDX-License-Identifier: Apache-2.0
//
// Making the engine's own states, once.
#include "session/engine_states.h"

namespace batchscope {

OuterStates& outer_states() {
  static OuterStates& states = *new OuterStates;
  return states;
}

void load_engine_states() {
  static bool done = false;
  if (done) return;
  done = true;  // first, because loading them comes back here
  metrics::load_metrics_state();
  load_epoch_state();
  outer_states().load();
  load_trigger_state();
  load_loops_state();
}

}  // namespace batchscope
