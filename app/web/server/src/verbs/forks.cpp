// SPDX-License-Identifier: Apache-2.0
#include "verbs/forks.h"

#include <fmt/core.h>

#include <map>
#include <utility>

#include "answer.h"
#include "batchscope/common/run_control.h"
#include "batchscope/common/say.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/run/fork.h"
#include "batchscope/storage/annotation.h"
#include "store/asked_for.h"
#include "store/run_recipe.h"

namespace batchscope::web {
namespace {

using common::say;
using protocol::Json;
using run::Recipe;

Recipe insist_on_recipe(const storage::Run& run) {
  if (auto recipe = recipe_of(run)) return std::move(*recipe);
  throw Error(ErrorKind::conflict,
              say("a page can fork only runs of recipes that are installed here, and {} is not "
                  "such a run; fork it in a terminal: batchscope fork {}",
                  common::title(run), run.id));
}

// A description of a fork, with what is wrong with it by its field.
class ForkDraft {
 public:
  ForkDraft(const storage::Run& origin, const Json& body)
      : id_(origin.id), recipe_(insist_on_recipe(origin)), own_(*recipe_.values_of(origin.spec.arguments)) {
    for (const auto& [name, value] : body.items()) take(name, value);
  }

  const std::map<std::string, std::string>& complaints() const { return complaints_; }
  const run::ForkOptions& options() const { return options_; }
  bool only_checks() const { return only_checks_; }

  Json check_json() const {
    Recipe::Values values = own_;
    for (const run::Parameter& each : recipe_.parameters)
      if (each.type == run::Parameter::Type::text) values.erase(each.name);
    return {{"run", nullptr}, {"fields", complaints_}, {"recipe", recipe_.name}, {"values", values}};
  }

 private:
  void take(const std::string& name, const Json& value) {
    if (name == "values") return take_values(values_in(value));
    try {
      if (name == "checkpoint")
        options_.checkpoint = text_in(value, name);
      else if (name == "name")
        storage::check_name(options_.name = text_in(value, name));
      else if (name == "replicas")
        options_.replicas = whole_in(value, name, 1, protocol::kMostReplicas);
      else if (name == "check")
        only_checks_ = truth_in(value, name);
      else
        throw http::Fault{
            400, name + " is not a field of a fork: use checkpoint, name, replicas, values and check"};
    } catch (const Error& error) {
      complaints_[name] = error.what();
    }
  }

  // Values that are the run's own change nothing, its free text included, which a page cannot set.
  void take_values(Recipe::Values given) {
    std::erase_if(given, [&](const auto& each) {
      const auto own = own_.find(each.first);
      return own != own_.end() && own->second == each.second;
    });
    if (given.empty()) return;
    Recipe::Values all = own_;
    for (const auto& [name, value] : given) all[name] = value;
    std::map<std::string, std::string> wrong = recipe_.complaints(all);
    const auto before = recipe_.complaints(own_);  // the owner may go beyond the recipe's bounds
    std::erase_if(
        wrong, [&](const auto& each) { return !given.contains(each.first) && before.contains(each.first); });
    for (const run::Parameter& each : recipe_.parameters)
      if (each.type == run::Parameter::Type::text && given.contains(each.name))
        wrong[each.name] =
            say("a page cannot set free text: use {}", fmt::format("`batchscope fork {} -- ..`", id_));
    for (const auto& [name, complaint] : wrong) complaints_["values." + name] = complaint;
    if (wrong.empty()) options_.arguments = recipe_.arguments(all);
  }

  const std::string id_;
  const Recipe recipe_;
  const Recipe::Values own_;  // of the run
  run::ForkOptions options_;
  bool only_checks_ = false;
  std::map<std::string, std::string> complaints_;  // by field
};

}  // namespace

http::Response fork_run(Store& store, const std::string& id, const std::string& person, const Json& body) {
  if (!body.is_object()) throw Error(ErrorKind::usage, "send {\"checkpoint\":..,\"replicas\":2} as JSON");
  const ForkDraft draft(store.run(id), body);
  if (draft.only_checks()) return json_response(draft.check_json());
  if (!draft.complaints().empty()) return complaint_response(draft.complaints());
  storage::Catalogue& catalogue = store.catalogue();
  const std::string fork = run::fork_run(catalogue, id, draft.options());
  note_asked_for(catalogue, catalogue.run(fork).value(), "fork", person);
  return json_response({{"run", fork}});
}

}  // namespace batchscope::web
