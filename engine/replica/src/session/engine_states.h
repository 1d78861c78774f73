// SPDX-License-Identifier: Apache-2.0
//
// The states that every program has without asking: metrics, epochs, loops, random numbers, triggers. They
// are made, and loaded where there is a checkpoint, together with the first state that the program makes, so
// that replicas meet in the same order whatever the program does.
#pragma once

#include <functional>

namespace batchscope {

void load_engine_states();  // the first call is collective, the others do nothing

// Those of the room above: what makes and loads them with the engine's own, and what is called when the
// program's start, which a restart repeats, is over.
struct OuterStates {
  std::function<void()> load = [] {};
  std::function<void()> restore = [] {};
};
OuterStates& outer_states();

// One for each file that has such a state; makes and loads it.
namespace metrics {
void load_metrics_state();
}
void load_epoch_state();
void load_trigger_state();
void load_loops_state();

}  // namespace batchscope
