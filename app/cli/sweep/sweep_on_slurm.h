// SPDX-License-Identifier: Apache-2.0
//
// The workplace of `batchscope sweep run --slurm`, made from its options.
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

// Returns an empty workplace without --slurm. Throws Error(usage) for options that make no sense, and for
// options that need --slurm without it.
SweepOnSlurm sweepOnSlurm(const RunSweepOptions& options, const SweepPlan& plan);

}  // namespace batchscope::cli
