// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints by time (BATCHSCOPE_CHECKPOINT_INTERVAL), so that a crash costs no more than about that much
// training. Rank 0's clock decides, the agreement point makes it the same step on every replica, and what
// holds training up there is no more than a copy of the states: rank 0 writes it in the background. One that
// is due while the last is still being written waits; a planned checkpoint overtakes it.
#pragma once

namespace batchscope::replica::periodic {

// Rank 0, between two steps: raises the request when it is time. Others, and where there is no interval:
// nothing. Where what would be kept is not known to be good, it waits.
void request_when_due(bool good);

// Gathers, copies, and goes on while rank 0 writes. Collective. A failure to write is a notice, and the next
// one tries again.
void checkpoint();

// Before a planned checkpoint: nothing is being written when it returns.
void overtake();

// Waits for what is being written.
void finish();

}  // namespace batchscope::replica::periodic
