// SPDX-License-Identifier: Apache-2.0
//
// The text about a run's job on a cluster, in lists and events.
#pragma once

#include <string>

#include "batchscope/storage/origins.h"

namespace batchscope::cli {

// Returns "job 12 on hpc, partition gpu, n[1-2]"; for a waiting job also the reason, and the expected start;
// "on hpc" if there is no job.
std::string jobNote(const storage::Origin& origin);

}  // namespace batchscope::cli
