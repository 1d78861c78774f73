// SPDX-License-Identifier: Apache-2.0
//
// Notes in a run's events that say who has asked for what.
#pragma once

#include <string>

#include "batchscope/storage/catalogue.h"

namespace batchscope::web {

// Writes "pause, asked for by anna" into the run's events; nothing for the owner, whose name is empty. Never
// fails: what was asked for is done, and the answer is the same without its event.
void note_asked_for(storage::Catalogue& catalogue, const storage::Run& run, const std::string& what,
                    const std::string& person);

}  // namespace batchscope::web
