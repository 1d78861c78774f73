// SPDX-License-Identifier: Apache-2.0
//
// Rescaling a run beyond the job that it is in. The command does it, not the supervisor, which knows nothing
// of Slurm: on the node where the run trains it finds the run's folder by a link in the store, leaves its
// wish there, and asks the supervisor for no more than an ordinary stop. The job then sees why it was
// stopped, and has the next one wait for more nodes. Nobody has to watch, and nothing new is said over the
// control socket.
#pragma once

#include <string>

#include "batchscope/protocol/replicas.h"

namespace batchscope::cli::slurm {

// Whether the run is in a job whose nodes have no room for so many replicas, while the next may have. False
// for a run that is in none. Throws Error(conflict) where they are more than any of its jobs may have, or
// where no job waits to go on.
bool needsNextJob(const std::string& run, int replicas);

// Keeps it for the jobs to come. Nothing for a run that is in none.
void wantInJobs(const std::string& run, const protocol::ReplicaCount& count);

}  // namespace batchscope::cli::slurm
