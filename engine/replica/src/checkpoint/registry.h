// SPDX-License-Identifier: Apache-2.0
//
// What the engine itself asks of checkpoints, beyond the public checkpoint.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/store.h"

namespace batchscope::checkpoint {

// ADAPTDL_CHECKPOINT_PATH; without it `<program name>.checkpoints` in the working directory, so that a
// program that is started again from the same place resumes.
std::filesystem::path directory();

// The directory name of the checkpoint this generation starts from; empty for a fresh start. Decided once, by
// rank 0; the first call is collective.
const std::string& restored_from();

// Of that one; of a fresh start an empty one. Read once; the first call is where restored_from() is known.
const protocol::Manifest& restored_manifest();

CheckpointStore& store();

// As save_all_states does it, while there is a supervisor that puts on disk what is in memory: in memory
// where there is room, for what the next generation begins with, and on the way out there where the disk has
// none.
void save_for_restart(const std::string& reason);
void save_for_exit(const std::string& reason);

// The registered states, in their order: gather on every replica what only others know (collective); copies
// of all of them (rank 0).
void sync_states();
std::vector<CheckpointStore::File> snapshot_states();

}  // namespace batchscope::checkpoint
