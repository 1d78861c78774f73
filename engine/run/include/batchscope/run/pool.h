// SPDX-License-Identifier: Apache-2.0
/// \file
/// The pool's process as others see it. Whoever finds something for it to decide starts it
/// (Catalogue::pool_needed says whether there is).
#pragma once

#include <string>

#include "batchscope/protocol/error.h"
#include "batchscope/run/store_process.h"

namespace batchscope::run {

/// The pool's process (engine/pool/POOL.md).
inline constexpr StoreProcess kPool{"batchscope-pool", "pool.lock", "pool.log"};

/// Returns the Error(conflict) for a caller that names devices for a run that waits in the queue.
Error devices_are_the_pools(const std::string& run);

}  // namespace batchscope::run
