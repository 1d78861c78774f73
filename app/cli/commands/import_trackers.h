// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "commands/commands.h"
#include "trackers/run_source.h"

namespace batchscope::cli {

// Imports the runs at these paths that other experiment trackers have written.
int importFromTrackers(const ImportOptions& options, const std::vector<std::filesystem::path>& paths);

}  // namespace batchscope::cli
