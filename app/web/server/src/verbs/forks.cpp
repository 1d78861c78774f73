// SPDX-License-Identifier: Apache-2.0
#include "verbs/forks.h"

#include <fmt/core.h>

#include "answer.h"
#include "batchscope/common/run_control.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/run/fork.h"
#include "batchscope/storage/annotation.h"
#include "store/asked_for.h"
#include "store/run_recipe.h"

namespace batchscope::web {
namespace {

using protocol::Json;

void refuse_other_programs(const storage::Run& run) {
  if (!recipe_of(run))
    throw Error(ErrorKind::conflict,
                fmt::format("a page can fork only runs of recipes that are installed here, and {} is not "
                            "such a run; fork it in a terminal: batchscope fork {}",
                            common::title(run), run.id));
}

run::ForkOptions options_in(const Json& body) {
  if (!body.is_object()) throw Error(ErrorKind::usage, "send {\"checkpoint\":..,\"replicas\":2} as JSON");
  for (const auto& [name, value] : body.items())
    if (name != "checkpoint" && name != "name" && name != "replicas" && name != "check")
      throw Error(ErrorKind::usage,
                  name + " is not a field of a fork: use checkpoint, name, replicas and check");
  run::ForkOptions options{text_in(body.value("checkpoint", Json("")), "checkpoint"),
                           text_in(body.value("name", Json("")), "name"),
                           0,
                           {}};
  if (body.contains("replicas"))
    options.replicas = whole_in(body.at("replicas"), "replicas", 1, protocol::kMostReplicas);
  if (body.contains("name")) storage::check_name(options.name);
  return options;
}

}  // namespace

Json fork_run(Store& store, const std::string& id, const std::string& person, const Json& body) {
  const run::ForkOptions options = options_in(body);
  const bool only_checks = truth_in(body.value("check", Json(false)), "check");
  refuse_other_programs(store.run(id));
  if (only_checks) return {{"run", nullptr}};
  storage::Catalogue& catalogue = store.catalogue();
  const std::string fork = run::fork_run(catalogue, id, options);
  note_asked_for(catalogue, catalogue.run(fork).value(), "fork", person);
  return {{"run", fork}};
}

}  // namespace batchscope::web
