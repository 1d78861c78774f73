// SPDX-License-Identifier: Apache-2.0
//
// What the engine itself asks of checkpoints, beyond the public checkpoint.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint_store.h"

namespace batchscope::checkpoint {

// ADAPTDL_CHECKPOINT_PATH; without it `<program name>.checkpoints` in the working directory, so that a
// program that is started again from the same place resumes.
std::filesystem::path directory();

// The directory name of the checkpoint this generation starts from; empty for a fresh start. Decided once, by
// rank 0; the first call is collective.
const std::string& restored_from();

CheckpointStore& store();

// As save_all_states does it, in memory where there is room: for what the next generation begins with, while
// there is a supervisor to put it on disk.
void save_for_restart(const std::string& reason);

// The registered states, in their order: gather on every replica what only others know (collective); copies
// of all of them (rank 0).
void sync_states();
std::vector<CheckpointStore::File> snapshot_states();

}  // namespace batchscope::checkpoint
