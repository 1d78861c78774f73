// SPDX-License-Identifier: Apache-2.0
//
// The remains of a supervisor that was killed: replicas that still run (they notice its end, checkpoint and
// exit by themselves), generations that were never closed, and checkpoints that nobody was told of, because
// nobody listened any more or rank 0 was killed before it could say so.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/storage/catalogue.h"
#include "system/process_table.h"

namespace batchscope::run {

std::vector<ProcessId> leftover_replicas(const protocol::RunPaths& paths);  // those alive

// Brings the catalogue in line with what is on disk. Call it when no replica is left.
void reconcile(storage::Catalogue& catalogue, const storage::Run& run, const protocol::RunPaths& paths);

// Lists in the catalogue those of these checkpoints, all of this generation or older, that are not there yet
// or are not what is there under their name, and what those of this generation say was trained on.
void adopt_checkpoints(storage::Catalogue& catalogue, const std::string& run, int generation,
                       const std::vector<std::filesystem::path>& checkpoints,
                       const std::filesystem::path& memory);

// The number of the next generation: beyond those in the catalogue and beyond those that left a log, for one
// whose supervisor died while the store was full is in no catalogue.
int next_generation(const std::vector<storage::Generation>& generations, const protocol::RunPaths& paths);

// Seconds of run time in the generations so far.
double time_in_generations(const std::vector<storage::Generation>& generations);

}  // namespace batchscope::run
