// SPDX-License-Identifier: Apache-2.0
//
// Plans a sweep: from its file to what is needed to begin it.
#pragma once

#include <string>

#include "batchscope/protocol/run_spec.h"
#include "batchscope/sweep/sweep_file.h"

namespace batchscope::cli {

struct SweepPlan {
  sweep::SweepFile file;
  protocol::RunSpec base;  // of its runs, but for what is searched
};

// Reads and checks all of it, without a catalogue. Throws Error(not_found) where there is no such file,
// Error(usage) naming file and key where what is in it makes no sense, also where it names a program or a
// recipe that is not there. `elsewhere`: nothing is asked of this machine's devices, and the spec's replicas
// are fixed.
SweepPlan planSweep(const std::string& file, bool elsewhere = false);

}  // namespace batchscope::cli
