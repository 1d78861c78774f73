// SPDX-License-Identifier: Apache-2.0
//
// slurm-job: what the script of each job of a run calls on the first node of its allocation; and how commands
// reach the run there.
#pragma once

#include <string>
#include <vector>

namespace batchscope::cli {

struct SlurmJobOptions {
  std::string folder;                // of the run, FOLDER/ID
  std::string nodes = "1";           // that its jobs may have, "1-4"
  std::vector<std::string> command;  // behind "--": of batchscope, for the run in its job
};

// The job, from its beginning to its end: how did the one before end, the next one submitted, the run taken
// into a store on this node, its supervisor. Blocks until the run or the job is over. Returns what the job
// ends with. With a command: carries that out where the run trains, from any machine that shares the folder,
// by `srun
// --overlap`; returns its exit code.
int workAsSlurmJob(const SlurmJobOptions& options);

}  // namespace batchscope::cli
