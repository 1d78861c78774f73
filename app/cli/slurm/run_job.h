// SPDX-License-Identifier: Apache-2.0
//
// The current job of a run in Slurm's queue.
#pragma once

#include "batchscope/storage/origins.h"
#include "slurm/job_folder.h"
#include "slurm/job_queue.h"

namespace batchscope::cli::slurm {

// Returns the cluster that these jobs have named; before the first job, asks Slurm. Throws as told.
std::string clusterOf(const JobFolder& folder);

// Returns the job of a run in the queue that trains, else the one that waits, else one that is just ending;
// without a number if there is none. Does not fill in the cluster.
storage::ClusterJob jobOf(const std::vector<QueuedJob>& jobs);

// Asks the queue, and returns the same with the cluster. One query to Slurm's controller, two before the
// run's first job. Blocks as call() does, and throws what told() throws.
storage::ClusterJob jobOf(const JobFolder& folder);

}  // namespace batchscope::cli::slurm
