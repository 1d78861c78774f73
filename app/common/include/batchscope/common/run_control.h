// SPDX-License-Identifier: Apache-2.0
/// \file
/// What commands and pages ask of a run, and in which words it is refused. All of it throws Error.
#pragma once

#include <string>
#include <vector>

#include "batchscope/common/queue_json.h"
#include "batchscope/protocol/control.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// "digits (3f9a12bc)", as messages call a run.
std::string title(const storage::Run& run);

/// Stands before the path of an imported run's program, so that no program has that name.
inline constexpr char kImportedProgram[] = "imported:";

/// "is number 3 in the queue", or why it has no place there.
std::string placeText(const PlacedJob& job);

/// Throws Error(conflict) where it has not begun, with what may be done about it.
void refusePending(storage::Catalogue& catalogue, const storage::Run& run);

/// Asks its supervisor, and returns the result (engine/run/PROTOCOL.md). Blocks for seconds, and for a
/// checkpoint as long as the run allows for one. A `rescale` of a job that waits for a supervisor changes
/// what it asks for (pool::ask_replicas), and its result is null. Throws Error(conflict) where nobody
/// supervises it, saying what does, and the supervisor's own error.
protocol::Json askRun(storage::Catalogue& catalogue, const storage::Run& run,
                      const protocol::Request& request);

/// Goes on with a run: one that is paused by its supervisor, any other by a new one; a run of the queue, held
/// ones too, waits there for devices. Replicas and devices as run::resume_run takes them, which says how long
/// it blocks and what it throws; Error(conflict) for a run that was imported too.
void resumeRun(storage::Catalogue& catalogue, const storage::Run& run, int replicas,
               const std::vector<std::string>& devices);

}  // namespace batchscope::common
