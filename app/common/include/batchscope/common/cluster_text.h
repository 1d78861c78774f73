// SPDX-License-Identifier: Apache-2.0
/// \file
/// Texts about a run that trains on another machine: where it trains and why it waits there, the same in the
/// window and the commands.
#pragma once

#include <string>

#include "batchscope/storage/origins.h"

namespace batchscope::common {

/// Returns the cluster's name; where it is unknown, the host, else the folder.
std::string clusterName(const storage::Origin& origin);

/// Returns "job 12 on hpc, partition gpu, n[1-2]"; without a job, clusterName().
std::string jobPlace(const storage::Origin& origin);

/// Returns "no nodes are free for it yet (Resources)", or Slurm's reason alone where no text explains it;
/// empty where the job does not wait.
std::string waitReason(const storage::ClusterJob& job);

}  // namespace batchscope::common
