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

/// Returns the nodes beside this machine whose devices the pool gives away, in the order of its settings,
/// each as the pool saw it last; a name alone where it has not been looked for yet. Throws Error as the
/// catalogue does.
std::vector<protocol::PoolNode> pool_nodes(storage::Catalogue& catalogue);

/// Returns the devices that the pool gives away: those of the nodes that are there ("n2/cpu:0") and, where
/// the settings say so, of this machine.
Machine pool_machine(const protocol::PoolSettings& settings, const std::vector<protocol::PoolNode>& nodes);

/// Returns the same of a store, with pool_nodes(). Throws as that.
Machine pool_machine(storage::Catalogue& catalogue);

/// Returns for how long a node of a cluster may stay idle before it is given back, s: BATCHSCOPE_IDLE_NODES,
/// with `keep` for infinity; else five minutes.
double idle_node_patience();

/// Returns the Error(conflict) for a caller that names devices for a run that waits in the queue.
Error devices_are_the_pools(const std::string& run);

}  // namespace batchscope::run
