// SPDX-License-Identifier: Apache-2.0
//
// The states of this process, and the checkpoint that it starts from, which rank 0 chooses.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "batchscope/replica/checkpoint.h"
#include "checkpoint/store.h"

namespace batchscope::replica {

// ADAPTDL_CHECKPOINT_PATH; without it `<program name>.checkpoints` in the working directory, so that a
// program that is started again from the same place resumes.
std::filesystem::path checkpoint_directory();

// The directory name of the checkpoint this generation starts from; empty for a fresh start. Decided once, by
// rank 0; the first call is collective.
const std::string& restored_from();

// Returns the manifest of that checkpoint; an empty one on a fresh start. Reads it once, at the first call,
// where restored_from() is known.
const protocol::Manifest& restored_manifest();

CheckpointStore& checkpoint_store();

// The states that every program has without asking come with the first that it makes, so that replicas meet
// in the same order whatever the program does. This is called, once, to make and load them.
void set_own_states(std::function<void()> make_and_load);
void load_own_states();  // the first call is collective, the others do nothing

// The registered states, in their order: gather on every replica what only others know (collective); what
// saves each of them; copies of all of them (rank 0).
void sync_states();
std::vector<CheckpointStore::File> save_states();
std::vector<CheckpointStore::File> snapshot_states();

}  // namespace batchscope::replica
