// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checkpoints in memory. The one that a restart begins with need not wait for a disk: it is written below
/// /dev/shm, and what stands among the run's checkpoints is a symbolic link to it. A link is the mark of a
/// volatile checkpoint, which outlives every process but not the machine; anybody reads it as any other.
/// persist() puts a copy that is on disk in its place. A link that leads nowhere tells that the machine went
/// down before that, and the checkpoint before it is used.
#pragma once

#include <cstdint>
#include <filesystem>

namespace batchscope::protocol {

/// Whether it is a link, whatever it leads to.
bool is_volatile(const std::filesystem::path& checkpoint);

/// The bytes that a checkpoint may take in this directory: half of what statvfs says is free, because memory
/// is not only ours; 0 where there is no such directory.
std::int64_t room_for_checkpoint(const std::filesystem::path& directory);

/// Puts a copy of a volatile checkpoint, with checksums and with all of it on disk, in the place of the link,
/// in one step, and frees the memory. Blocks on the disk. Throws Error(io | corrupt); then the link stays.
void persist_checkpoint(const std::filesystem::path& checkpoint);

/// Removes a checkpoint, and what it links to. Throws Error(io).
void remove_checkpoint(const std::filesystem::path& checkpoint);

/// Waits until a file or a directory is on disk. Throws Error(io).
void fsync_path(const std::filesystem::path& path);

}  // namespace batchscope::protocol
