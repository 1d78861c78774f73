// SPDX-License-Identifier: Apache-2.0
//
// The state of every replica's default CPU generator, gathered into the checkpoint. It is put back when the
// first loop over data resumes, after whatever the program drew while it replayed its start; a rank that has
// none (the replica count has grown) is seeded from rank 0's state, its rank and the generation.
#pragma once

namespace batchscope::train {

void load_rng_state();     // makes it, and loads it from the checkpoint
void restore_generator();  // nothing to do on a fresh start

}  // namespace batchscope::train
