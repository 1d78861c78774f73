// SPDX-License-Identifier: Apache-2.0
//
// Reaches a run in its job from any machine that shares the run's folder and has Slurm's programs.
#pragma once

#include <string>
#include <vector>

namespace batchscope::cli::slurm {

// Runs a command of batchscope where the run trains, by `srun --overlap`, with this terminal's input and
// output. Returns its exit code. While no job trains the run, stop and cancel end waiting jobs, resume
// submits one, and hold and release do what they do in Slurm. Throws Error(conflict) for a command that is
// impossible now, naming what is possible.
int carryOut(const std::string& folder, const std::vector<std::string>& command);

// Prints the run and its job in Slurm's queue as one line of JSON: {"run":..,"spec":..,"job":..}. Throws
// Error(not_found) if the folder does not belong to a run's jobs.
int tellState(const std::string& folder);

}  // namespace batchscope::cli::slurm
