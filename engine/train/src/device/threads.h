// SPDX-License-Identifier: Apache-2.0
//
// How many threads this replica computes with. Set by calls, not by environment variables, which no longer
// count once the libraries are loaded (and never after a fork).
#pragma once

#include "batchscope/protocol/environment.h"

namespace batchscope::train {

// BATCHSCOPE_THREADS, or the replica's share of the machine's cores. A single replica without
// BATCHSCOPE_THREADS keeps the libraries' own choice. Returns what is in force.
int set_threads(const protocol::Environment& environment);

// Computes with so many from now on.
void use_threads(int threads);

}  // namespace batchscope::train
