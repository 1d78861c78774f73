// SPDX-License-Identifier: Apache-2.0
//
// A run in its job, asked and told from any machine that shares its folder and has Slurm's programs.
#pragma once

#include <string>
#include <vector>

namespace batchscope::cli::slurm {

// Carries out a command of batchscope where the run trains, by `srun --overlap`, with this terminal's input
// and output; returns its exit code. While no job trains the run, stop and cancel end those that wait, resume
// submits one, hold and release do what Slurm calls so. Throws Error(conflict) for what cannot be asked now,
// naming what can.
int carryOut(const std::string& folder, const std::vector<std::string>& command);

// Prints, as one line of JSON, what the run is and what Slurm's queue says of it: {"run":..,"spec":..,
// "job":..}. Throws Error(not_found) where the folder is none of a run's jobs.
int tellState(const std::string& folder);

}  // namespace batchscope::cli::slurm
