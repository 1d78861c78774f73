// SPDX-License-Identifier: Apache-2.0
//
// The store by which c10d's process groups come about: a fresh c10d::FileStore below
// BATCHSCOPE_RENDEZVOUS_DIR on one machine, else a TCPStore at any free port of rank 0's, which alone spans
// machines. The replicas have met before, so that nobody waits for a listener that is not there yet.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>

#include "batchscope/protocol/environment.h"

namespace c10d {
class Store;
}

namespace batchscope::train {

// Collective. Throws Error(io) when the place cannot be used.
c10::intrusive_ptr<c10d::Store> open_tensor_store(const protocol::Environment& environment,
                                                  std::chrono::milliseconds timeout);

}  // namespace batchscope::train
