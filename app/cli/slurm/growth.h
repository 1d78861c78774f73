// SPDX-License-Identifier: Apache-2.0
//
// Rescaling a run beyond the nodes of its job. The command does it, not the supervisor, which knows nothing
// of Slurm. On the node where the run trains, the command finds the run's folder by a link in the store,
// notes the wanted number of replicas there, and asks the supervisor for an ordinary stop. The job then reads
// the note, and makes the next job wait for more nodes. The control socket needs no new request.
#pragma once

#include <string>

#include "batchscope/protocol/replicas.h"

namespace batchscope::cli::slurm {

// Returns whether the nodes of the run's job have no room for so many replicas, while the next job may have.
// False for a run without a job. Throws Error(conflict) for more replicas than any of its jobs may have, or
// if no next job waits.
bool needsNextJob(const std::string& run, int replicas);

// Notes the wanted number of replicas for later jobs. Does nothing for a run without a job.
void wantInJobs(const std::string& run, const protocol::ReplicaCount& count);

}  // namespace batchscope::cli::slurm
