// SPDX-License-Identifier: Apache-2.0
//
// Commands for a run that trains on another machine and is only followed here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/storage/origins.h"
#include "commands/commands.h"

namespace batchscope::cli {

// Returns where a run trains, by its id; none for a run of this machine.
std::optional<storage::Origin> elsewhere(const std::string& id);

// Runs `command`, such as "rescale", with these words after the run's id, where the run trains. Returns its
// exit code; none for a run of this machine. Throws Error(conflict), naming the place, if the store knows no
// way there.
std::optional<int> handOn(const std::string& command, const RunReference& run,
                          const std::vector<std::string>& words = {});

}  // namespace batchscope::cli
