// SPDX-License-Identifier: Apache-2.0
//
// Runs in the queue of the pool, as commands tell of them.
#pragma once

#include <string>

#include "batchscope/common/queue_json.h"

namespace batchscope::cli {

// "is number 3 in the queue", or why it has no place there.
std::string placeText(const common::PlacedJob& job);

// Whether the pool is to start it, or to go on with it; also once a person releases it.
bool waitsForPool(storage::Catalogue& catalogue, const storage::Run& run);

// Goes on no further by itself: ended, or paused, and not waiting for the pool.
bool isAtRest(storage::Catalogue& catalogue, const storage::Run& run);

// Throws Error(conflict) where it has not begun, with what may be done about it.
void refusePending(storage::Catalogue& catalogue, const storage::Run& run);

}  // namespace batchscope::cli
