// SPDX-License-Identifier: Apache-2.0
//
// Where the replicas of one generation find each other: a fresh c10d::FileStore below
// BATCHSCOPE_RENDEZVOUS_DIR on one machine, a TCPStore at ADAPTDL_MASTER_ADDR:PORT otherwise (it alone spans
// machines, but its connecting stalls a second at times). What travels between machines does so by the
// interface that leads to the master.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <memory>

#include "batchscope/protocol/environment.h"

namespace c10d {
class Store;
}

namespace batchscope {

class Star;

// No replica needs a network: there is one node, and they meet in a directory or at a loopback address.
bool one_machine(const protocol::Environment& environment);

// Throws Error(usage) when the environment names no place to meet, Error(timeout) when nobody is there,
// Error(io) when the place cannot be used.
c10::intrusive_ptr<c10d::Store> open_store(const protocol::Environment& environment,
                                           std::chrono::milliseconds timeout);

// Blocks until all replicas have met there; see star.h.
std::shared_ptr<Star> meet(c10d::Store& store, const protocol::Environment& environment,
                           std::chrono::milliseconds timeout);

}  // namespace batchscope
