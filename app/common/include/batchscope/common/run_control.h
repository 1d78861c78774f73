// SPDX-License-Identifier: Apache-2.0
/// \file
/// Requests to a run by commands and pages, and the messages that refuse them. All calls throw Error.
#pragma once

#include <string>
#include <vector>

#include "batchscope/common/queue_json.h"
#include "batchscope/protocol/control.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// Returns "digits (3f9a12bc)", the name of a run in messages.
std::string title(const storage::Run& run);

/// Prefix of the program's path in an imported run, so that it is never taken for a program here.
inline constexpr char kImportedProgram[] = "imported:";

/// Returns "is number 3 in the queue", or why the job has no place there.
std::string placeText(const PlacedJob& job);

/// Throws Error(conflict) where the run has not begun; the message says what to do.
void refusePending(storage::Catalogue& catalogue, const storage::Run& run);

/// Sends the request to the run's supervisor and returns the result (engine/run/PROTOCOL.md). Blocks for
/// seconds, and for a checkpoint as long as the run allows for one. A `rescale` of a job that waits for a
/// supervisor changes the replicas that the job asks for (pool::ask_replicas), and returns null. Throws
/// Error(conflict) where the run has no supervisor, saying which command helps, and the supervisor's own
/// error.
protocol::Json askRun(storage::Catalogue& catalogue, const storage::Run& run,
                      const protocol::Request& request);

/// Resumes a run: a paused run through its supervisor, any other with a new supervisor. A run of the queue,
/// also a held one, waits there for devices. Replicas and devices are as for run::resume_run, which says how
/// long it blocks and what it throws. Throws Error(conflict) for an imported run, too.
void resumeRun(storage::Catalogue& catalogue, const storage::Run& run, int replicas,
               const std::vector<std::string>& devices);

}  // namespace batchscope::common
