// SPDX-License-Identifier: Apache-2.0
//
// The engine's own view of epochs, beyond the public epoch.h.
#pragma once

namespace batchscope::replica {

int epochs_asked_for();   // of the range that is running; 0 outside
void mark_epoch_begun();  // tells the supervisor, once an epoch
void load_epoch_state();  // makes it, and loads it from the checkpoint

}  // namespace batchscope::replica
