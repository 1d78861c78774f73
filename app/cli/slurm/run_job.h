// SPDX-License-Identifier: Apache-2.0
//
// The job of a run that counts now, as Slurm's queue has it.
#pragma once

#include "batchscope/storage/origins.h"
#include "slurm/job_folder.h"
#include "slurm/job_queue.h"

namespace batchscope::cli::slurm {

// Returns the cluster whose jobs these are, as they told it; before the first of them, Slurm is asked. Throws
// as told.
std::string clusterOf(const JobFolder& folder);

// Returns the job of a run in the queue that trains, else the one that waits, else one that is just ending;
// without a number where there is none. Nothing is said of the cluster.
storage::ClusterJob jobOf(const std::vector<QueuedJob>& jobs);

// The same, asked of the queue, with the cluster. One question to Slurm's controller, two before the run's
// first job. Blocks as call() does, and throws what told() throws.
storage::ClusterJob jobOf(const JobFolder& folder);

}  // namespace batchscope::cli::slurm
