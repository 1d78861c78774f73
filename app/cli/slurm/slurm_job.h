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
  bool state = false;                // only what Slurm says of it
  std::vector<std::string> command;  // behind "--": of batchscope, for the run in its job
};

// The job, from its beginning to its end: how did the one before end, the next one submitted, the run taken
// into a store on this node, its supervisor. Blocks until the run or the job is over. Returns what the job
// ends with. With `state` or a command: what slurm/reach.h says of them.
int workAsSlurmJob(const SlurmJobOptions& options);

}  // namespace batchscope::cli
