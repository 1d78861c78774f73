// SPDX-License-Identifier: Apache-2.0
//
// Runs in the queue of the pool, as commands tell of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/pool/queue.h"
#include "batchscope/protocol/json.h"

namespace batchscope::cli {

// A job, and when it would get devices were nothing else to be said: 1 is the next of those that wait for
// some, 0 one that waits for none or is held.
struct PlacedJob {
  pool::QueueEntry entry;
  int place = 0;
};

// Those that have not ended, and with `ended` behind them those that have, as pool::queue().
std::vector<PlacedJob> placedJobs(storage::Catalogue& catalogue, bool ended = false);
// None of a run that never was in the queue.
std::optional<PlacedJob> placedJob(storage::Catalogue& catalogue, const storage::Run& run);

// "is number 3 in the queue", or why it has no place there.
std::string placeText(const PlacedJob& job);

protocol::Json jobJson(const PlacedJob& job);

// What the pool said last of more devices; empty where the queue has ended.
std::string poolAdvice(storage::Catalogue& catalogue);

// Whether the pool is to start it, or to go on with it; also once a person releases it.
bool waitsForPool(storage::Catalogue& catalogue, const storage::Run& run);

// Goes on no further by itself: ended, or paused, and not waiting for the pool.
bool isAtRest(storage::Catalogue& catalogue, const storage::Run& run);

// Throws Error(conflict) where it has not begun, with what may be done about it.
void refusePending(storage::Catalogue& catalogue, const storage::Run& run);

}  // namespace batchscope::cli
