// SPDX-License-Identifier: Apache-2.0
//
// The state of every replica's default generators, gathered into the checkpoint. It is put back when the
// first loop over data resumes, after whatever the program drew while it replayed its start.
//
// Replicas draw numbers of their own, though all set one seed: dropout or augmentation that is the same on
// all of them is no noise to whoever compares their gradients. Rank 0 draws what the program's seed says. A
// rank that has no state in the checkpoint (a fresh start, or more replicas than before) is seeded at its
// first loop from its own state, or else rank 0's, its rank and the generation.
#pragma once

namespace batchscope::train {

void load_rng_state();  // makes it, and loads it from the checkpoint
void restore_generator();

}  // namespace batchscope::train
