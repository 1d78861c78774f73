// SPDX-License-Identifier: Apache-2.0
//
// Jobs of Slurm that hold a node each for the pool of a store, and train nothing themselves: which of them to
// submit and to cancel, and which nodes they give the pool. All that is known of them is in Slurm's queue,
// under one name.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "slurm/job_script.h"
#include "slurm/programs.h"

namespace batchscope::cli::slurm {

// A job, also one that has ended, until Slurm forgets it.
struct HolderJob {
  std::string number;
  std::string state;            // "PENDING", "RUNNING", "COMPLETING", "FAILED"
  std::string node;             // of one that runs, or has run
  double left = 0;              // s until its time limit; infinite: it has none
  double limit = 0;             // s, the whole of it
  double lasted = 0;            // s that it has run
  double ended = 0;             // s since 1970; in the future, or 0: it has not ended
  std::string reason = {};      // of its state: "NonZeroExitCode"
  int failures = 0;             // jobs in a row that had ended at once when it was submitted
  bool node_is_closed = false;  // Slurm is about to take its node out of service

  bool waits() const { return state == "PENDING" || state == "CONFIGURING"; }
  bool runs() const { return state == "RUNNING"; }
  // Returns whether it ended by itself, too soon to have been of use.
  bool ended_at_once() const;
  // Returns the node's name in the pool. With the job's number, since two jobs may hold parts of one node,
  // and a node that comes again with another job is another.
  std::string name() const { return node + "." + number; }
};

struct HolderPlan {
  int submit = 0;         // jobs
  int failures = 0;       // that these are to know of
  Strings cancel = {};    // jobs, by their numbers
  Strings nodes = {};     // lines for the pool (`batchscope pool --nodes-from`)
  std::string note = {};  // why fewer are submitted than are missing, in a clause; empty: they are not
};

// Returns the name of the holders' jobs of a store. `catalogue`: its path.
std::string holderName(const std::string& catalogue);

// Parses lines of squeue in kHolderFormat. Times are "1-02:03:04", "3:04" or "UNLIMITED", and of a clock
// "2026-11-23T08:43:37". The comment, which is last, is the number of failures.
inline constexpr char kHolderFormat[] = "%i|%T|%N|%L|%l|%M|%e|%r|%k";
std::vector<HolderJob> parseHolders(const std::string& lines);

// Marks the jobs on these nodes, one a line, as on a node that is closed.
void markClosed(std::vector<HolderJob>& jobs, const std::string& lines);

// Decides. The pool wants so many nodes, of which the range says how many there may be; with 0 there are
// none. `empty`: nodes, by their names, that the pool needs no more: their jobs end. A node that is closed or
// near its time limit is named as leaving, and the job that takes its place is submitted before. After a job
// that ended at once the next is submitted later each time, and one alone. `now`: s since 1970.
HolderPlan planHolders(const std::vector<HolderJob>& jobs, int wanted, const std::set<std::string>& empty,
                       const NodeRange& range, double now);

}  // namespace batchscope::cli::slurm
