// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checkpoints in memory. The checkpoint that a restart begins with need not wait for a disk: it is written
/// below the run's own place in memory (RunPaths::memory), with a symbolic link to it among the run's
/// checkpoints. A link of a checkpoint's name to the same name in that place marks a volatile checkpoint,
/// which outlives every process but not the machine; it is read as any other. Any other link was made by
/// somebody else: it is neither loaded nor put on disk nor removed, and its target is left alone.
/// persist_checkpoint() puts a copy that is on disk in the link's place. A link that leads nowhere means that
/// the machine went down before that; then the checkpoint before it is used.
#pragma once

#include <cstdint>
#include <filesystem>

#include "batchscope/protocol/checkpoint_folder.h"

namespace batchscope::protocol {

/// Returns the bytes that a checkpoint may take in this directory: half of what statvfs says is free, because
/// other programs need memory too; 0 where there is no such directory.
std::int64_t room_for_checkpoint(const std::filesystem::path& directory);

/// Puts a copy of a volatile checkpoint, with checksums and with all of it on disk, in the place of the link,
/// in one step, and frees the memory. Blocks on the disk. Throws Error(io | corrupt | not_found), also for a
/// checkpoint that is not volatile; then the link stays.
void persist_checkpoint(const std::filesystem::path& checkpoint, const std::filesystem::path& memory);

/// Removes a volatile checkpoint, the link and what is in memory. Throws Error(io), and Error(corrupt) for
/// one that is not volatile, which stays.
void remove_volatile_checkpoint(const std::filesystem::path& checkpoint, const std::filesystem::path& memory);

}  // namespace batchscope::protocol
