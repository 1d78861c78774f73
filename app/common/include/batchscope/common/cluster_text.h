// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where a run trains that is not of this machine, and why it waits there, as the window and the commands say
/// it.
#pragma once

#include <string>

#include "batchscope/storage/origins.h"

namespace batchscope::common {

/// The cluster's name; where nobody told one, the host, else the folder.
std::string clusterName(const storage::Origin& origin);

/// "job 12 on hpc, partition gpu, n[1-2]"; without a job as clusterName.
std::string jobPlace(const storage::Origin& origin);

/// "no nodes are free for it yet (Resources)", or Slurm's word alone where it says it all; empty where it
/// does not wait.
std::string waitReason(const storage::ClusterJob& job);

}  // namespace batchscope::common
