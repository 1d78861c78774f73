// SPDX-License-Identifier: Apache-2.0
//
// The installed recipe that a run was made with. A page may start what recipes start and nothing else
// (THREATS.md), so it forks and clones the runs of installed recipes alone.
#pragma once

#include <optional>

#include "batchscope/run/recipe.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::web {

// Empty where the run is of another program, has arguments that are not parameters of the recipe, or comes
// from elsewhere: the record of such a run may name any program.
std::optional<run::Recipe> recipe_of(const storage::Run& run);

}  // namespace batchscope::web
