// SPDX-License-Identifier: Apache-2.0
//
// Slurm as its own programs tell of it and are told: sbatch, scontrol, scancel, sacct. Each gets its
// arguments as a list, never through a shell.
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

// Blocks until the program has ended, 10 s at most. Throws Error(not_found) where it is not on PATH,
// Error(timeout) where it does not end: its controller does not answer.
Said call(const std::string& program, const Strings& arguments);

// Returns the program's output, without the white space around it. Throws as call does, and Error(failure)
// with its complaint where it fails.
std::string told(const std::string& program, const Strings& arguments);

// The number of the job of this script. `options` come before the script, and win over its own.
std::string submit(const Strings& options, const std::string& script);

// Returns a job as `scontrol show job` has it; empty where Slurm does not know it, or no longer.
Fields job(const std::string& number);

// How it ended or where it is: "CANCELLED", "COMPLETED", "RUNNING"; of scontrol, which forgets after some
// minutes, then of sacct where the site keeps accounts. Empty where nobody knows.
std::string stateOf(const std::string& number);

// Returns the number of idle nodes of the partition, whoever may have them. `sbatch --test-only` says when a
// job would start, but not one whose user has another in the queue: it then is told to wait for that one's
// start, of which it is not part.
int idleNodes(const std::string& partition);

// "a=1 b=2 3 c=" -> {a: "1", b: "2 3", c: ""}
Fields fieldsOf(const std::string& line);

}  // namespace batchscope::cli::slurm
