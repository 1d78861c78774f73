// SPDX-License-Identifier: Apache-2.0
//
// What a supervisor that was killed left behind: replicas that still run (they notice its end, checkpoint
// and exit by themselves), generations that were never closed, and checkpoints that were written after
// nobody listened any more.
#pragma once

#include <string>
#include <vector>

#include "batchscope/protocol/paths.h"
#include "batchscope/storage/catalogue.h"
#include "process_table.h"

namespace batchscope::run {

std::vector<ProcessId> leftover_replicas(const protocol::RunPaths& paths);  // those alive

// Brings the catalogue in line with what is on disk. Call it when no replica is left.
void reconcile(storage::Catalogue& catalogue, const storage::Run& run, const protocol::RunPaths& paths);

// Seconds of run time in the generations so far.
double time_in_generations(const std::vector<storage::Generation>& generations);

}  // namespace batchscope::run
