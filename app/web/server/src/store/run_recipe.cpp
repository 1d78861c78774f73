// SPDX-License-Identifier: Apache-2.0
#include "store/run_recipe.h"

#include "batchscope/common/say.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/storage/origins.h"

namespace batchscope::web {
namespace {

using common::say;

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

run::Recipe::Values values_in(const protocol::Json& given) {
  if (!given.is_object())
    throw Error(ErrorKind::usage, "name an installed recipe, and its values as an object of texts");
  run::Recipe::Values values;
  for (const auto& [parameter, value] : given.items()) {
    if (!value.is_string()) throw Error(ErrorKind::usage, "each value must be a text");
    values[parameter] = value.get<std::string>();
  }
  return values;
}

std::map<std::string, std::string> complaints_about(const run::Recipe& recipe,
                                                    const run::Recipe::Values& values,
                                                    const std::string& command) {
  std::map<std::string, std::string> complaints = recipe.complaints(values);
  for (const run::Parameter& each : recipe.parameters)
    if (const auto set = values.find(each.name);
        each.type == run::Parameter::Type::text && set != values.end() && set->second != each.value)
      complaints[each.name] = say("a page cannot set free text: use {}", command);
  return complaints;
}

}  // namespace batchscope::web
