// SPDX-License-Identifier: Apache-2.0
//
// Where rank 0 is under AdaptDL's own scheduler, which sets no ADAPTDL_MASTER_ADDR: it is asked for at
// ADAPTDL_SUPERVISOR_URL/discover/JOB/RESTARTS, as AdaptDL's library does (adaptdl/torch/__init__.py).
#pragma once

#include <chrono>
#include <string>

#include "batchscope/protocol/environment.h"

namespace batchscope::replica {

// Asks until the scheduler knows: 408 is its word for "not yet", and a scheduler that cannot be reached or
// has a fault of its own is asked again. Of what it says nothing is believed but that a text without blanks
// is a host. Blocks for at most the time-out. Throws Error naming the URL: usage where the scheduler's
// version (ADAPTDL_SCHED_VERSION) is of another major number than the protocol's, failure where it refuses or
// makes no sense, timeout with the last that came of it.
std::string discover_master(const protocol::Environment& environment, std::chrono::milliseconds timeout);

}  // namespace batchscope::replica
