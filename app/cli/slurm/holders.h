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

// A job that has not ended.
struct HolderJob {
  std::string number;
  std::string state;  // "PENDING", "RUNNING", "COMPLETING"
  std::string node;   // of a running one
  double left = 0;    // s until its time limit; infinite: it has none
  double limit = 0;   // s, the whole of it

  bool waits() const { return state == "PENDING" || state == "CONFIGURING"; }
  bool runs() const { return state == "RUNNING"; }
  // Returns the node's name in the pool. With the job's number, since two jobs may hold parts of one node,
  // and a node that comes again with another job is another.
  std::string name() const { return node + "." + number; }
};

struct HolderPlan {
  int submit = 0;       // jobs
  Strings cancel = {};  // jobs, by their numbers
  Strings nodes = {};   // lines for the pool (`batchscope pool --nodes-from`)
};

// Returns the name of the holders' jobs of a store. `catalogue`: its path.
std::string holderName(const std::string& catalogue);

// Parses lines of squeue in kHolderFormat. Times are "1-02:03:04", "3:04" or "UNLIMITED".
inline constexpr char kHolderFormat[] = "%i|%T|%N|%L|%l";
std::vector<HolderJob> parseHolders(const std::string& lines);

// Decides. The pool wants so many nodes, of which the range says how many there may be; with 0 there are
// none. `empty`: nodes, by their names, that the pool needs no more: their jobs end. A node that is near its
// time limit is named as leaving, and the job that takes its place is submitted before.
HolderPlan planHolders(const std::vector<HolderJob>& jobs, int wanted, const std::set<std::string>& empty,
                       const NodeRange& range);

}  // namespace batchscope::cli::slurm
