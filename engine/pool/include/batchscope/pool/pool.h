// SPDX-License-Identifier: Apache-2.0
/// \file
/// The pool's process, `batchscope-pool`: engine/pool/POOL.md.
#pragma once

#include <functional>

#include "batchscope/protocol/telemetry.h"

namespace batchscope::pool {

/// The time of a pool. Tests have less of it than people.
struct PoolTime {
  std::function<double()> now = protocol::monotonic_seconds;  ///< s
  int tick = 100;                                             ///< ms from one look at the store to the next
};

/// Decides and acts until there is nothing left to decide, or SIGTERM or SIGINT ends it, which loses nothing.
/// Needs a run::Application. Returns an exit code (protocol/error.h), at once where another pool of this
/// store lives. Throws Error where the catalogue cannot be opened.
int run_pool(const PoolTime& time = {});

}  // namespace batchscope::pool
