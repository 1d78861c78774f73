// SPDX-License-Identifier: Apache-2.0
/// \file
/// The pool's process as others see it. Whoever finds something for it to decide starts it
/// (Catalogue::pool_needed says whether there is).
#pragma once

#include <string>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/pool.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/store_process.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::run {

/// The pool's process (engine/pool/POOL.md).
inline constexpr StoreProcess kPool{"batchscope-pool", "pool.lock", "pool.log"};

/// Returns the devices that the pool gives away: this machine's, and those of its other nodes that were there
/// when it saw them last ("n2/cpu:0"). Throws Error as the catalogue does.
Machine pool_machine(storage::Catalogue& catalogue);

/// Returns `machine` with the devices of the nodes that are there.
Machine with_nodes(Machine machine, const std::vector<protocol::PoolNode>& nodes);

/// Returns the Error(conflict) for a caller that names devices for a run that waits in the queue.
Error devices_are_the_pools(const std::string& run);

}  // namespace batchscope::run
