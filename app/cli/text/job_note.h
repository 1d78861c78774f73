// SPDX-License-Identifier: Apache-2.0
//
// A run that trains on a cluster, as lists and events tell of it.
#pragma once

#include <string>

#include "batchscope/storage/origins.h"

namespace batchscope::cli {

// "job 12 on hpc, partition gpu, n[1-2]"; of one that waits with why, and when it is expected to start; "on
// hpc" where there is no job.
std::string jobNote(const storage::Origin& origin);

}  // namespace batchscope::cli
