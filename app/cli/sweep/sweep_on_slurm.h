// SPDX-License-Identifier: Apache-2.0
//
// The workplace that `batchscope sweep run --slurm` makes of its options.
#pragma once

#include <string>

#include "sweep/sweep_commands.h"
#include "sweep/sweep_plan.h"

namespace batchscope::cli {

struct SweepOnSlurm {
  int width = 0;          // trials at once, so that there are no more jobs than are wanted
  std::string workplace;  // storage::Sweep
  std::string script;     // of a trial's jobs
};

// Throws Error(usage) for what makes no sense, and for options that need --slurm where it was not said: then
// all is empty.
SweepOnSlurm sweepOnSlurm(const RunSweepOptions& options, const SweepPlan& plan);

}  // namespace batchscope::cli
