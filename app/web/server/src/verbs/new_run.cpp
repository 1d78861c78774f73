// SPDX-License-Identifier: Apache-2.0
#include "verbs/new_run.h"

#include <fmt/core.h>

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "answer.h"
#include "batchscope/common/queue_json.h"
#include "batchscope/common/run_control.h"
#include "batchscope/common/say.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/run/client.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/recipe.h"
#include "batchscope/storage/annotation.h"
#include "store/asked_for.h"
#include "store/run_recipe.h"
#include "verbs/queue_verbs.h"

namespace batchscope::web {
namespace {

using common::say;
using protocol::Json;
using run::Parameter, run::Recipe;

const char* type_name(Parameter::Type type) {
  switch (type) {
    case Parameter::Type::integer: return "integer";
    case Parameter::Type::number: return "number";
    case Parameter::Type::text: return "text";
    case Parameter::Type::flag: return "flag";
    case Parameter::Type::choice: return "choice";
  }
  return "text";
}

Json bound_json(const std::optional<double>& bound) { return bound ? Json(*bound) : Json(); }

Json recipe_json(const Recipe& recipe) {
  Json parameters = Json::array(), fixed = Json::array();
  for (const Parameter& each : recipe.parameters) {
    if (each.type == Parameter::Type::text)
      fixed.push_back(each.name);
    else
      parameters.push_back({{"name", each.name},
                            {"type", type_name(each.type)},
                            {"value", each.value},
                            {"min", bound_json(each.minimum)},
                            {"max", bound_json(each.maximum)},
                            {"choices", each.choices},
                            {"help", each.help}});
  }
  return {{"name", recipe.name},
          {"title", recipe.title},
          {"description", recipe.description},
          {"parameters", std::move(parameters)},
          {"fixed", std::move(fixed)}};
}

const std::set<std::string> kOfTheQueue{"priority", "held", "pin", "after"};

// A description of a new run, with what is wrong with it by its field.
class Draft {
 public:
  // `at_once`: it starts beside the queue.
  Draft(Store& store, const Json& body, bool at_once) : store_(store), at_once_(at_once) {
    if (!body.is_object()) throw Error(ErrorKind::usage, "describe the run as JSON: {\"recipe\":\"digits\"}");
    // The recipe first: the other fields change the spec that it makes.
    take_recipe(body.value("recipe", Json()), body.value("values", Json::object()));
    for (const auto& [name, value] : body.items()) take(name, value);
    if (!complaints_.empty()) return;
    try {
      at_once_ ? run::check_start(store.catalogue(), spec_) : pool::check_submit(spec_);
    } catch (const Error& error) {
      complaints_[error.kind() == ErrorKind::conflict ? "replicas" : "recipe"] = error.what();
    }
  }

  const std::map<std::string, std::string>& complaints() const { return complaints_; }
  bool only_checks() const { return only_checks_; }

  std::string submit(storage::Catalogue& catalogue) const {
    const std::string id = at_once_ ? run::start_run(catalogue, spec_) : pool::submit(catalogue, spec_, job_);
    if (!tags_.empty()) catalogue.change_tags(id, tags_, {});
    if (!note_.empty()) catalogue.set_note(id, note_);
    return id;
  }

 private:
  void take_recipe(const Json& name, const Json& given) {
    const Recipe::Values values = values_in(given);
    const auto recipe = run::installed_recipe(text_in(name, "recipe"));
    if (!recipe) {
      complaints_["recipe"] = say("this machine has no such recipe");
      return;
    }
    const std::string command = fmt::format("`batchscope submit --recipe {} --set NAME=..`", recipe->name);
    for (const auto& [parameter, complaint] : complaints_about(*recipe, values, command))
      complaints_["values." + parameter] = complaint;
    if (!complaints_.empty()) return;
    try {
      spec_ = recipe->spec(values);
      // As `batchscope submit`, unless somebody says how many.
      if (!at_once_) spec_.auto_replicas.emplace();
    } catch (const Error& error) {  // its program is not built
      complaints_["recipe"] = error.what();
    }
  }

  void take(const std::string& name, const Json& value) {
    if (name == "recipe" || name == "values") return;
    if (at_once_ && kOfTheQueue.contains(name)) {
      complaints_[name] = say("a run that starts at once does not wait in the queue: leave this out");
      return;
    }
    try {
      if (name == "name")
        storage::check_name(spec_.name = text_in(value, name));
      else if (name == "replicas")
        take_replicas(text_in(value, name));
      else if (name == "priority")
        job_.priority = priority_of(value);
      else if (name == "group")
        storage::check_group(spec_.group = text_in(value, name));
      else if (name == "tags")
        tags_ = storage::parse_tags(text_in(value, name));
      else if (name == "note")
        storage::check_note(note_ = text_in(value, name));
      else if (name == "device")
        take_device(text_in(value, name));
      else if (name == "pin")
        job_.pin = truth_in(value, name);
      else if (name == "after")
        take_after(text_in(value, name));
      else if (name == "held")
        job_.held = truth_in(value, name);
      else if (name == "check")
        only_checks_ = truth_in(value, name);
      else
        throw http::Fault{400, name + " is not a field of a new run"};
    } catch (const Error& error) {
      complaints_[name] = error.what();
    }
  }

  void take_replicas(const std::string& text) {
    const auto count = protocol::ReplicaCount::parse(text);
    spec_.replicas = count.first(spec_.replicas);
    spec_.auto_replicas = count.automatic;
  }

  void take_device(const std::string& text) {
    const bool names_one = text.starts_with("cuda:");
    if (text != "auto" && text != "cpu" && text != "cuda" && !names_one)
      throw Error(ErrorKind::usage, say("'{}' is not one of auto, cpu, cuda, cuda:N", text));
    spec_.device = text;
  }

  // A run that is in the trash, or was never there, is not waited for.
  void take_after(const std::string& text) {
    if (text.empty()) return;
    const auto [run, end] = common::parseAfter(text);
    job_.after = store_.run(run).id;
    job_.after_end = end;
  }

  Store& store_;
  const bool at_once_;
  protocol::RunSpec spec_;
  pool::JobOptions job_;
  std::vector<std::string> tags_;
  std::string note_;
  bool only_checks_ = false;
  std::map<std::string, std::string> complaints_;  // by field
};

http::Response new_run(Store& store, const std::string& person, const Json& body, bool at_once) {
  const Draft draft(store, body, at_once);
  if (draft.only_checks()) return json_response({{"fields", draft.complaints()}});
  if (!draft.complaints().empty()) return complaint_response(draft.complaints());
  storage::Catalogue& catalogue = store.catalogue();
  const std::string id = draft.submit(catalogue);
  const storage::Run run = catalogue.run(id).value();
  note_asked_for(catalogue, run, at_once ? "start" : "submit", person);
  const auto placed = common::placedJob(catalogue, run);
  return json_response({{"run", id}, {"job", placed ? common::jobJson(*placed) : Json()}});
}

}  // namespace

Json recipes_json() {
  Json recipes = Json::array();
  for (const Recipe& recipe : run::installed_recipes()) recipes.push_back(recipe_json(recipe));
  const run::Machine machine = run::Machine::here();
  const std::size_t devices = (machine.gpus.empty() ? machine.cores : machine.gpus).size();
  return {{"recipes", std::move(recipes)},
          {"replicas", devices > 1 ? fmt::format("1-{}", devices) : "1"},
          {"devices", devices}};
}

Json clone_json(Store& store, const std::string& id) {
  const storage::Run run = store.run(id);
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::conflict,
                say("a page cannot clone {}, because {}; in a terminal: batchscope submit, with what "
                    "`batchscope show {}` says of its command",
                    common::title(run), why, run.id));
  };
  const auto recipe = recipe_of(run);
  if (!recipe) refuse(say("it is not of a recipe that is installed here"));
  Recipe::Values values = *recipe->values_of(run.spec.arguments);
  for (const Parameter& each : recipe->parameters) {
    if (each.type != Parameter::Type::text) continue;
    if (values[each.name] != each.value && values[each.name] != each.left_out)
      refuse(say("{} is free text, and not its default", each.name));
    values.erase(each.name);
  }
  std::string tags;
  for (const std::string& tag : run.tags)
    if (!tag.starts_with(storage::kLessonTag)) tags += (tags.empty() ? "" : ", ") + tag;
  return {{"recipe", recipe->name},
          {"values", values},
          {"name", say("{} copy", run.name)},
          {"replicas",
           run.spec.auto_replicas ? run.spec.auto_replicas->text() : std::to_string(run.spec.replicas)},
          {"device", run.spec.device},
          {"group", run.spec.group},
          {"tags", tags}};
}

http::Response submit_new_run(Store& store, const std::string& person, const Json& body) {
  return new_run(store, person, body, false);
}

http::Response start_new_run(Store& store, const std::string& person, const Json& body) {
  return new_run(store, person, body, true);
}

}  // namespace batchscope::web
