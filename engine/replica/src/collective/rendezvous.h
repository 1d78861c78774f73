// SPDX-License-Identifier: Apache-2.0
//
// Where the replicas of one generation find each other: by a file below BATCHSCOPE_RENDEZVOUS_DIR on one
// machine, at ADAPTDL_MASTER_ADDR:PORT otherwise, where only who knows BATCHSCOPE_RENDEZVOUS_TOKEN, if there
// is one, is let in.
#pragma once

#include <chrono>
#include <memory>

#include "batchscope/protocol/environment.h"

namespace batchscope::replica {

class SmallCollectives;

// No replica needs a network: there is one node, and they meet in a directory or at a loopback address.
bool one_machine(const protocol::Environment& environment);

// They meet by files.
bool in_directory(const protocol::Environment& environment);

// How long they have to find one another, where a collective's time-out is this.
std::chrono::milliseconds meeting_time(const protocol::Environment& environment,
                                       std::chrono::milliseconds timeout);

// Blocks until all replicas have met; see small_collectives.h. `timeout` is that of the calls that follow.
// Throws Error(usage) when the environment names no place to meet, Error(timeout) when nobody is there,
// Error(failure) when somebody else is, Error(io) when the place cannot be used.
std::shared_ptr<SmallCollectives> meet(const protocol::Environment& environment,
                                       std::chrono::milliseconds timeout);

}  // namespace batchscope::replica
