// SPDX-License-Identifier: Apache-2.0
//
// Runs in the queue of the pool, for the commands' answers.
#pragma once

#include "batchscope/storage/catalogue.h"

namespace batchscope::cli {

// Returns whether the pool is to start or continue the run, also when a person has to release it first.
bool waitsForPool(storage::Catalogue& catalogue, const storage::Run& run);

// Returns whether the run does not continue by itself: it has ended or is paused, and does not wait for the
// pool.
bool isAtRest(storage::Catalogue& catalogue, const storage::Run& run);

// Returns whether the run, as it was before a command, trained a program that has reported no checkpoints,
// which a stop or a pause ends as it stands. `status` is the supervisor's answer to the command.
bool reportsNoCheckpoints(const storage::Run& before, const protocol::Json& status);
// Asks the run's supervisor for its status. False where it does not answer.
bool reportsNoCheckpoints(const storage::Run& run);

// Returns the answer of a command that tells a run's supervisor to stop.
std::string stopText(const storage::Run& run, bool withoutCheckpoint);

}  // namespace batchscope::cli
