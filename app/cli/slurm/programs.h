// SPDX-License-Identifier: Apache-2.0
//
// Calls of Slurm's own programs: sbatch, scontrol, scancel, sacct. Each gets its arguments as a list, never
// through a shell.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace batchscope::cli::slurm {

using Strings = std::vector<std::string>;
// "JobState" -> "RUNNING"
using Fields = std::map<std::string, std::string>;

struct Said {
  int code = 0;
  std::string out, err;
};

// Blocks until the program has ended, at most 10 s. Throws Error(not_found) if it is not on PATH,
// Error(timeout) if it does not end because its controller does not answer.
Said call(const std::string& program, const Strings& arguments);

// Returns the program's output, without the white space around it. Throws as call does, and Error(failure)
// with its message if it fails.
std::string told(const std::string& program, const Strings& arguments);

// Submits the script, and returns the job's number. `options` come before the script, and override its own.
std::string submit(const Strings& options, const std::string& script);

// Returns a job as `scontrol show job` has it; empty where Slurm does not know it, or no longer.
Fields job(const std::string& number);

// Returns the state of a job: "CANCELLED", "COMPLETED", "RUNNING"; from scontrol, which forgets a job after
// some minutes, else from sacct if the site keeps accounts. Empty if neither knows.
std::string stateOf(const std::string& number);

// Returns the number of idle nodes of the partition, whoever may have them. `sbatch --test-only` would tell
// when a job starts, but not for a user who has another job in the queue: it then also waits for the start of
// that job.
int idleNodes(const std::string& partition);

// "a=1 b=2 3 c=" -> {a: "1", b: "2 3", c: ""}
Fields fieldsOf(const std::string& line);

}  // namespace batchscope::cli::slurm
