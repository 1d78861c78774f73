// SPDX-License-Identifier: Apache-2.0
//
// A snapshot of Slurm's queue for some runs, from the last time that Slurm was asked: sites do not like
// frequent queries.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace batchscope::cli::slurm {

// A job that has not ended.
struct QueuedJob {
  std::string number;
  std::string state;   // "PENDING", "RUNNING", "COMPLETING"
  std::string reason;  // why it is pending: "Resources", "Priority", "Dependency"
  std::string start;   // expected, local time: "2026-11-23T08:43:37"; empty: not known
  std::string partition = {};
  std::string nodes = {};  // its nodes, "n[1-2]"; of a waiting job, their number: "1-3"

  bool waits() const { return state == "PENDING"; }
};

class JobQueue {
 public:
  // Asks for all jobs of these runs. Throws as told.
  void look(const std::vector<std::string>& runs);
  // Returns how long ago that was, s.
  double age() const;

  // Returns the jobs in the order of their submission, with those that were added since.
  const std::vector<QueuedJob>& of(const std::string& run) const;
  void add(const std::string& run, const std::string& number);
  // Returns whether a job of the run was added since: its state in Slurm is not known yet.
  bool isNew(const std::string& run) const;

 private:
  std::map<std::string, std::vector<QueuedJob>> jobs_;  // by run
  double looked_ = -1;                                  // protocol::monotonic_seconds; before the first: -1
};

}  // namespace batchscope::cli::slurm
