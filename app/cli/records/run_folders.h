// SPDX-License-Identifier: Apache-2.0
//
// The folders of runs on disk: their sizes, folders without a run, and confirmation before they are deleted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "batchscope/storage/trash.h"

namespace batchscope::cli {

// Returns the size of all regular files below; one that cannot be read counts for nothing.
std::int64_t folderBytes(const std::filesystem::path& folder);

// Returns the place of a run's folder while it is incomplete: "runs/<id>.partial".
std::filesystem::path partialFolder(const std::string& id);

// Returns folders beside the catalogue that nobody will miss and no process writes: remains of a purge or an
// import that was killed, and folders that are named like runs, belong to none and hold no file.
std::vector<std::filesystem::path> orphanedFolders(storage::Catalogue& catalogue);

// Returns the ids of runs that the catalogue does not list, if their folders hold files and no process writes
// them. `batchscope adopt` adds them.
std::vector<std::string> unlistedRuns(storage::Catalogue& catalogue);

// Returns whether a process writes into the folder of a run: its supervisor, or a command that follows or
// imports it.
bool isWritten(const std::filesystem::path& folder);

// Asks a question on the terminal; y or yes confirms. Throws Error(usage), naming the deed, if there is no
// terminal.
bool isConfirmed(const std::string& question, const std::string& deed);

}  // namespace batchscope::cli
