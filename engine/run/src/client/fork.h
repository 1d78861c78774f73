// SPDX-License-Identifier: Apache-2.0
//
// The parts of a fork that a branch has, too.
#pragma once

#include <filesystem>
#include <string>

#include "batchscope/storage/catalogue.h"

namespace batchscope::run {

// Returns the folder of the checkpoint that the text says (ForkOptions::checkpoint). Reads it whole and
// checks it. Throws as fork_run does.
std::filesystem::path find_checkpoint(const std::string& id, const std::string& text);

// Throws Error(conflict) for a followed run: its checkpoints are elsewhere, and its program is not known to
// be here.
void refuse_followed(const std::string& id);

// Returns how many replicas the run had last.
int last_replicas(storage::Catalogue& catalogue, const storage::Run& run);

}  // namespace batchscope::run
