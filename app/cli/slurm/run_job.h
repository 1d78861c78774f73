// SPDX-License-Identifier: Apache-2.0
//
// Of the jobs of a run the one that counts now, as Slurm's queue has it.
#pragma once

#include "batchscope/storage/origins.h"
#include "slurm/job_folder.h"

namespace batchscope::cli::slurm {

// The one that trains, else the one that waits, else one that is just ending; without a number where there is
// none. One question to Slurm's controller, two before the run's first job. Blocks as call() does, and throws
// what told() throws.
storage::ClusterJob jobOf(const JobFolder& folder);

}  // namespace batchscope::cli::slurm
