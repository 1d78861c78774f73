// SPDX-License-Identifier: Apache-2.0
//
// Plans a sweep: reads from its file what is needed to begin it.
#pragma once

#include <string>

#include "batchscope/protocol/run_spec.h"
#include "batchscope/sweep/sweep_file.h"

namespace batchscope::cli {

struct SweepPlan {
  sweep::SweepFile file;
  protocol::RunSpec base;  // of its runs, but for what is searched
};

// Reads and checks the file, without a catalogue. Throws Error(not_found) if the file does not exist,
// Error(usage) naming file and key if a value makes no sense, also if it names a missing program or recipe.
// `elsewhere`: the trials do not train on this machine's devices, and the spec's replicas are fixed.
SweepPlan planSweep(const std::string& file, bool elsewhere = false);

}  // namespace batchscope::cli
