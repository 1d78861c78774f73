// SPDX-License-Identifier: Apache-2.0
//
// The commands for many runs that share a machine (see commands/commands.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/commands.h"
#include "slurm/slurm_options.h"

namespace batchscope::cli {

struct SubmitOptions : SpecOptions, SlurmOptions {
  bool pin = false;
  std::string after;  // a run
  int priority = 0;
  bool hold = false;
  bool follow = false;
  bool detach = false;  // do not follow a run on Slurm
  bool json = false;
};
int submitRun(const SubmitOptions& options);
int submitToSlurm(const SubmitOptions& options);  // called by submitRun for --slurm

struct QueueOptions {
  bool all = false;     // also those that have ended
  bool trials = false;  // of sweeps one by one
  bool watch = false;
  bool json = false;
};
int showQueue(const QueueOptions& options);

// Settings of the pool; one that is not given stays as it is. Nodes of Slurm are given by SlurmOptions.
struct PoolOptions : SlurmOptions {
  std::string policy;
  bool pause = false, resume = false;
  bool drain = false, noDrain = false;
  std::string devices;  // a number, or "all"
  std::string turn;     // a duration
  std::optional<double> price;
  std::optional<std::string> scaleCommand, preemptNotice;  // empty: none
  std::optional<std::string> agents, agentsBy, nodesFrom;  // the same; by: ssh
  std::string tls, here;                                   // "yes", "no"
  std::optional<int> decisions;                            // the last so many, in place of the settings
  bool advise = false;                                     // only what more devices would be worth
  bool json = false;
};
int showPool(const PoolOptions& options);

struct JobsReference {
  std::vector<std::string> runs;
  bool json = false;
};
int cancelRuns(const JobsReference& options);
int holdRuns(const JobsReference& options);
int releaseRuns(const JobsReference& options);

struct PriorityOptions : RunReference {
  int priority = 0;
};
int setPriority(const PriorityOptions& options);

}  // namespace batchscope::cli
