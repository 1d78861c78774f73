// SPDX-License-Identifier: Apache-2.0
#include "store/run_recipe.h"

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/storage/origins.h"

namespace batchscope::web {
namespace {

bool is_of(const run::Recipe& recipe, const protocol::RunSpec& spec) {
  if (!recipe.made(spec) || !recipe.values_of(spec.arguments)) return false;
  try {
    return recipe.spec().program == spec.program;
  } catch (const Error&) {  // its program is not built
    return false;
  }
}

}  // namespace

std::optional<run::Recipe> recipe_of(const storage::Run& run) {
  if (storage::Origins(protocol::catalogue_path()).find(run.id)) return {};
  for (run::Recipe& recipe : run::installed_recipes())
    if (is_of(recipe, run.spec)) return std::move(recipe);
  return {};
}

}  // namespace batchscope::web
