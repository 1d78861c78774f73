// SPDX-License-Identifier: Apache-2.0
/// \file
/// Making a checkpoint so that it is either wholly there or not at all: its states' files, the manifest and
/// the folder that holds them, each on disk before the folder takes its name (engine/protocol/CHECKPOINT.md).
#pragma once

#include <filesystem>
#include <functional>
#include <set>

#include "batchscope/protocol/checkpoint_folder.h"
#include "batchscope/protocol/manifest.h"

namespace batchscope::protocol {

/// Returns the folder, beside the checkpoint's name, in which the checkpoint is made.
std::filesystem::path partial_checkpoint(const std::filesystem::path& name);

/// Returns whether a folder of this name is such a folder, of any checkpoint.
bool is_partial_checkpoint(const std::string& name);

/// Makes `folder`, has `fill` write the states' files into it, each on disk, and their entries into the
/// manifest; writes the manifest, and has `take_name` give the folder its place. Blocks on the disk. Throws
/// Error(io), and what the two functions throw; no folder is left then.
void write_checkpoint(const std::filesystem::path& folder, Manifest& manifest,
                      const std::function<void()>& fill, const std::function<void()>& take_name);

/// Does the same beside `name`, and renames the folder to it.
void write_checkpoint(const std::filesystem::path& name, Manifest& manifest,
                      const std::function<void(const std::filesystem::path& folder)>& fill);

/// Copies the states' files that the manifest names into a folder, each on disk, and gives their entries the
/// checksums of what was copied. Throws Error(io).
void copy_states(const CheckpointFolder& from, const std::filesystem::path& to, Manifest& manifest);

/// Removes the checkpoints on disk below `parent` that are older than the newest two. Pinned ones, links and
/// those in `spared` stay and do not count, nor do those that cannot be read. Throws Error(io) where `parent`
/// cannot be read.
void remove_old_checkpoints(const std::filesystem::path& parent,
                            const std::set<std::filesystem::path>& spared);

/// Waits until a file or a directory is on disk. Throws Error(io).
void fsync_path(const std::filesystem::path& path);

}  // namespace batchscope::protocol
