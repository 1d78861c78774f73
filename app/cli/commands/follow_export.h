// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "batchscope/storage/catalogue.h"
#include "commands/commands.h"

namespace batchscope::cli {

// Returns the default name, such as "digits-3f9a12bc.csv" in the working directory.
std::string usualExportName(const storage::Run& run, const std::string& format);

// Runs `export --follow`. Returns when the run is over, or at SIGTERM or SIGINT. Throws Error(usage) for
// options that do not go with it.
int followExport(storage::Catalogue& catalogue, const storage::Run& run, const ExportOptions& options);

}  // namespace batchscope::cli
