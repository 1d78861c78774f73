// SPDX-License-Identifier: Apache-2.0
/// \file
/// Keeping the store's files, runs.db or a samples.db, in order. Each call opens the file for itself and
/// blocks on the disk, longer for larger files. Readers and the writer go on meanwhile, unless a comment says
/// otherwise.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace batchscope::storage {

/// Makes a copy as of one moment, by SQLite's online backup, while others write the file. `copy` must not
/// exist; it is complete under its name, or not there, and no other user may read it. Throws Error(not_found
/// | conflict | timeout | io | corrupt).
void back_up(const std::filesystem::path& file, const std::filesystem::path& copy);

/// Gives the space of removed rows back to the disk (VACUUM); writers of the file wait meanwhile. Throws
/// Error(not_found | timeout | io | corrupt).
void vacuum(const std::filesystem::path& file);

/// Returns the bytes of the file with its write-ahead log; 0 where there is none. Asks only the file system.
std::int64_t size_on_disk(const std::filesystem::path& file);

/// Returns the faults of the file's structure by SQLite's own check, one sentence each; empty: there are
/// none. Throws Error(not_found | io).
std::vector<std::string> check(const std::filesystem::path& file);

/// The outcome of check_series().
struct SeriesCheck {
  std::int64_t samples = 0;              ///< that are as they were written
  std::vector<std::string> faults = {};  ///< one sentence each
};

/// Reads a samples.db from its first row to its last and checks every checksum in it. Throws Error(not_found
/// | io | corrupt), the last where its structure is damaged.
SeriesCheck check_series(const std::filesystem::path& file);

}  // namespace batchscope::storage
