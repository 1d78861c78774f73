// SPDX-License-Identifier: Apache-2.0
//
// The replicas of one generation as processes: what each is given, which are left, and how to reach them.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/run_spec.h"
#include "devices/placement.h"
#include "launch/launcher.h"
#include "system/process_table.h"

namespace batchscope::run {

// The program of a run with this log, in the supervisor's own environment without a replica's place in
// another run, and with the run's additions.
ReplicaOrder program_order(const protocol::RunSpec& spec, const std::filesystem::path& log);

// Where the generation's rank 0 listens, for programs that meet by TCP: an address of loopback that is not
// the one of the generation before, whose port the system may hold for a minute yet.
std::string master_address(int generation);

// The order for a generation.
struct GenerationOrder {
  int number = 0;
  std::string run;  // its id
  protocol::RunSpec spec;
  protocol::RunPaths paths;
  Placement placement;
  std::string supervisor_url = {};                     // of AdaptDL's endpoints; empty: there are none
  std::map<std::string, std::string> unloadable = {};  // checkpoints to pass over, by name with the reason
  std::string address_for_nodes = {};                  // of this machine, where replicas are on others too
  // The first guesses, as other runs have shown them on such devices, the second in s; 0: unknown.
  double contention = 0, sync_time = 0;
};

class Generation {
 public:
  // Starts the replicas, with a rendezvous directory, a master address and a port of their own. Throws Error.
  Generation(const GenerationOrder& order, Launcher& launcher);
  ~Generation();  // kills what is left and removes the rendezvous directory
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  int number() const { return number_; }
  int replicas() const { return replicas_; }
  // Where rank 0 listens.
  const std::string& master_address() const { return master_address_; }
  // The node of this rank; empty: this one.
  const std::string& node_of(int rank) const { return nodes_.at(static_cast<std::size_t>(rank)); }
  std::map<int, pid_t> living_here() const;  // without those of other nodes, by rank

  // The rank of this process, while it lives; empty for one that is none of ours.
  std::optional<int> rank_of(pid_t pid) const;
  // The rank whose process this was, which is gone now; empty for a process that is none of ours.
  std::optional<int> take_exited(pid_t pid);

  void ask_exit(bool restart) const;  // to checkpoint and leave; whether the next generation follows at once
  void signal_rank(int rank, int signal) const;
  void kill_all() const;                        // SIGKILL to every living replica's session
  void kill_on(const std::string& node) const;  // to those there

  std::vector<ProcessId> processes() const;
  const std::map<int, pid_t>& living() const { return living_; }  // by rank

  const std::string& warning() const { return warning_; }  // for the person; empty: none

 private:
  const int number_;
  const int replicas_;
  std::filesystem::path rendezvous_;
  std::string master_address_;
  std::vector<std::string> nodes_;  // by rank
  std::string warning_;
  std::map<int, pid_t> living_;  // by rank
};

}  // namespace batchscope::run
