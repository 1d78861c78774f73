// SPDX-License-Identifier: Apache-2.0
//
// A recipe that somebody wrote by hand, and the spec of a run that is made of it.
#include "batchscope/run/recipe.h"
#include "fuzz.h"

using namespace batchscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  const auto file = folder.write("recipe.toml", fuzz::text(data, size));
  fuzz::may_refuse_as(
      [&] {
        const run::Recipe recipe = run::Recipe::load(file);
        fuzz::require(recipe.replicas >= 1, "there is at least one replica");
        for (const run::Parameter& parameter : recipe.parameters)
          fuzz::require(parameter.complaint(parameter.value).empty(), "a default is valid");
        recipe.spec();
      },
      ErrorKind::usage, ErrorKind::not_found);
  return 0;
}
