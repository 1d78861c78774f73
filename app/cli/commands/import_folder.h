// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands/commands.h"

namespace batchscope::cli {

// import --run-folder.
int importRunFolder(const ImportOptions& options);

}  // namespace batchscope::cli
