// SPDX-License-Identifier: Apache-2.0
//
// slurm-job: the command that the script of each job calls on the first node of its allocation, and that
// brings commands to the run there.
#pragma once

#include <string>
#include <vector>

namespace batchscope::cli {

struct SlurmJobOptions {
  std::string folder;                // of the run, FOLDER/ID
  std::string nodes = "1";           // its jobs may have, "1-4"
  bool state = false;                // only print its job's state in Slurm
  std::vector<std::string> command;  // after "--": a command of batchscope for the run in its job
};

// Runs a job from its beginning to its end: asks how the job before ended, submits the next one, takes the
// run into a store on this node, and starts its supervisor. Blocks until the run or the job is over. Returns
// the job's exit code. With `state` or a command: see slurm/reach.h.
int workAsSlurmJob(const SlurmJobOptions& options);

}  // namespace batchscope::cli
