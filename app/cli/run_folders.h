// SPDX-License-Identifier: Apache-2.0
//
// The folders of runs on disk: their size, and removing them for good after asking.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "batchscope/storage/catalogue.h"

namespace batchscope::cli {

// Of all regular files below; what cannot be read counts for nothing.
std::int64_t folderBytes(const std::filesystem::path& folder);

// Throws Error(io). No fault where there is none.
void removeFolder(const std::filesystem::path& folder);

// The rows first, so that what is left after an interruption is an orphaned folder, which gc finds. Throws
// Error(conflict) while a supervisor holds the run.
void purgeRun(storage::Catalogue& catalogue, const std::string& id);

// Folders beside the catalogue that are named like runs and belong to none, and that no process writes.
std::vector<std::filesystem::path> orphanedFolders(storage::Catalogue& catalogue);

// A question on the terminal, answered by y or yes. Throws Error(usage), naming what is asked about, where
// there is no terminal to ask on.
bool isConfirmed(const std::string& question, const std::string& deed);

}  // namespace batchscope::cli
