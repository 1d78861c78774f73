// SPDX-License-Identifier: Apache-2.0
//
// What nearly every command begins with: the catalogue, and the run that the person named.
#pragma once

#include <string>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::cli {

inline storage::Catalogue openCatalogue() { return storage::Catalogue(protocol::catalogue_path()); }

// "digits (3f9a12bc)", as messages call a run.
inline std::string title(const storage::Run& run) { return run.name + " (" + run.id + ")"; }

}  // namespace batchscope::cli
