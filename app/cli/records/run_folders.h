// SPDX-License-Identifier: Apache-2.0
//
// The folders of runs on disk: their size, those that nobody owns, and asking before they go.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "batchscope/storage/trash.h"

namespace batchscope::cli {

// Returns the size of all regular files below; one that cannot be read counts for nothing.
std::int64_t folderBytes(const std::filesystem::path& folder);

// Where a run's folder is while it is not whole: "runs/<id>.partial".
std::filesystem::path partialFolder(const std::string& id);

// Folders beside the catalogue that nobody will miss and no process writes: what a purge or an import that
// was killed has left, and those named like runs that belong to none and hold no file.
std::vector<std::filesystem::path> orphanedFolders(storage::Catalogue& catalogue);

// Ids of the runs that the catalogue does not list and whose folders hold files that no process writes:
// `batchscope adopt` lists them.
std::vector<std::string> unlistedRuns(storage::Catalogue& catalogue);

// Whether a process writes into the folder of a run: its supervisor, or who follows or imports it.
bool isWritten(const std::filesystem::path& folder);

// A question on the terminal, answered by y or yes. Throws Error(usage), naming what is asked about, where
// there is no terminal to ask on.
bool isConfirmed(const std::string& question, const std::string& deed);

}  // namespace batchscope::cli
