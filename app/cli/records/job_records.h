// SPDX-License-Identifier: Apache-2.0
//
// Runs in the queue of the pool, as commands tell of them.
#pragma once

#include "batchscope/storage/catalogue.h"

namespace batchscope::cli {

// Whether the pool is to start it, or to go on with it; also once a person releases it.
bool waitsForPool(storage::Catalogue& catalogue, const storage::Run& run);

// Goes on no further by itself: ended, or paused, and not waiting for the pool.
bool isAtRest(storage::Catalogue& catalogue, const storage::Run& run);

// The answer to a run whose supervisor is told to stop.
const char* stopText(const storage::Run& run);

}  // namespace batchscope::cli
