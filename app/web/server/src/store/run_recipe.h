// SPDX-License-Identifier: Apache-2.0
//
// Installed recipes, as far as a page may use them (THREATS.md). A page may start what recipes start and
// nothing else, so it forks and clones the runs of installed recipes alone.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "batchscope/protocol/json.h"
#include "batchscope/run/recipe.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::web {

// Empty where the run is of another program, has arguments that are not parameters of the recipe, or comes
// from elsewhere: the record of such a run may name any program.
std::optional<run::Recipe> recipe_of(const storage::Run& run);

// Reads texts by the names of parameters. Throws Error(usage) for anything else.
run::Recipe::Values values_in(const protocol::Json& given);

// Returns what is wrong with values that a page sets, by the parameter: what the recipe refuses, and free
// text other than its default. `command` sets such text in a terminal.
std::map<std::string, std::string> complaints_about(const run::Recipe& recipe,
                                                    const run::Recipe::Values& values,
                                                    const std::string& command);

}  // namespace batchscope::web
