// SPDX-License-Identifier: Apache-2.0
//
// Nodes of Slurm for the pool: `pool --slurm` sets the commands by which it gets and reaches them, and
// `slurm-nodes` is the first of these (engine/run/NODES.md, "Nodes from a command").
#pragma once

#include <string>
#include <vector>

#include "batchscope/protocol/pool.h"
#include "slurm/slurm_options.h"

namespace batchscope::cli {

struct SlurmNodesOptions : SlurmOptions {
  int wanted = 0;                  // nodes
  std::vector<std::string> empty;  // nodes that are needed no more
};

// Submits and cancels the jobs that hold nodes for this store's pool, and prints the nodes that it has.
int tendSlurmNodes(const SlurmNodesOptions& options);

namespace slurm {

inline constexpr char kOff[] = "off";  // as --slurm=off

// Changes the settings so that the pool has its nodes from Slurm and gives away none of this machine's
// devices. Throws Error(usage) naming an option that cannot be met.
void usePoolNodes(const SlurmOptions& options, protocol::PoolSettings& settings);

// Throws Error(failure) with Slurm's message if it would not accept such a job, and as told.
void tryPoolNodes(const SlurmOptions& options);

}  // namespace slurm
}  // namespace batchscope::cli
