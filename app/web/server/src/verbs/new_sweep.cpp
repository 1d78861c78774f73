// SPDX-License-Identifier: Apache-2.0
#include "verbs/new_sweep.h"

#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "answer.h"
#include "answers/list_answers.h"
#include "batchscope/common/say.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/run/recipe.h"
#include "batchscope/storage/annotation.h"
#include "batchscope/sweep/driver.h"
#include "batchscope/sweep/sweeps.h"
#include "store/run_recipe.h"

namespace batchscope::web {
namespace {

using common::say;
using protocol::Json;
using sweep::SweepFile;

constexpr std::size_t kMostValues = 100;  // of a parameter that is searched

bool has_range(const run::Parameter& parameter) {
  return parameter.type == run::Parameter::Type::integer || parameter.type == run::Parameter::Type::number;
}

double bound_in(const Json& range, const char* end, bool is_whole) {
  const std::string text = text_in(range.value(end, Json()), end);
  double value = 0;
  const auto [last, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || last != text.data() + text.size() || !std::isfinite(value) ||
      (is_whole && value != std::trunc(value)))
    throw Error(ErrorKind::usage, is_whole ? say("{} must be a whole number, found '{}'", end, text)
                                           : say("{} must be a number, found '{}'", end, text));
  return value;
}

double above_in(const Json& rule, const char* name, double limit) {
  const double value = bound_in(rule, name, false);
  if (!(value > limit)) throw Error(ErrorKind::usage, say("{} must be above {}", name, limit));
  return value;
}

sweep::StopRule::Kind stop_kind(const std::string& name) {
  const auto kind = sweep::stop_kind_named(name);
  if (!kind) throw Error(ErrorKind::usage, "kind must be none, median, asha or pbt");
  return *kind;
}

// Reads the part of a recipe's parameter that is searched.
sweep::Parameter searched(const run::Parameter& parameter, const Json& range) {
  using Kind = sweep::Parameter::Kind;
  sweep::Parameter made;
  made.name = parameter.name;
  if (parameter.type == run::Parameter::Type::text)
    throw Error(ErrorKind::usage, say("a page cannot search free text: write it into a sweep's file"));
  if (!range.is_object()) throw Error(ErrorKind::usage, "send {\"min\":..,\"max\":..} or {\"values\":[..]}");
  if (range.contains("values")) {
    const Json& values = range.at("values");
    if (!values.is_array() || values.empty() || values.size() > kMostValues)
      throw Error(ErrorKind::usage, say("name 1 to {} values", kMostValues));
    for (const Json& value : values) {
      made.choices.push_back(text_in(value, "each value"));
      if (const std::string wrong = parameter.complaint(made.choices.back()); !wrong.empty())
        throw Error(ErrorKind::usage, say("{}, found '{}'", wrong, made.choices.back()));
    }
    return made;
  }
  if (!has_range(parameter)) throw Error(ErrorKind::usage, say("only a number has a range: name its values"));
  const bool is_whole = parameter.type == run::Parameter::Type::integer;
  made.kind = is_whole ? Kind::integer : Kind::real;
  made.min = bound_in(range, "min", is_whole);
  made.max = bound_in(range, "max", is_whole);
  made.log = range.value("scale", Json("linear")) == "log";
  if (!(made.min < made.max)) throw Error(ErrorKind::usage, say("min must be less than max"));
  if (made.log && !(made.min > 0))
    throw Error(ErrorKind::usage, say("min must be above 0 on a logarithmic scale"));
  for (const double end : {made.min, made.max})
    if (const std::string wrong = parameter.complaint(made.text(end)); !wrong.empty())
      throw Error(ErrorKind::usage, say("{}, found '{}'", wrong, made.text(end)));
  return made;
}

// A description of a new sweep, with what is wrong with it by its field.
class SweepDraft {
 public:
  explicit SweepDraft(const Json& body) {
    if (!body.is_object())
      throw Error(ErrorKind::usage, "describe the sweep as JSON: {\"recipe\":\"digits\",\"search\":{..}}");
    take_recipe(text_in(body.value("recipe", Json()), "recipe"), body.value("values", Json::object()),
                body.value("search", Json::object()));
    for (const auto& [name, value] : body.items()) take(name, value);
    if (!complaints_.empty()) return;
    try {
      // Once more by the reader of files, which knows all rules.
      file_ = SweepFile::parse(file_.text(), say("the sweep"));
      sweep::check(file_, base_);
    } catch (const Error& error) {
      complaints_["sweep"] = error.what();
    }
  }

  const std::map<std::string, std::string>& complaints() const { return complaints_; }
  bool only_checks() const { return only_checks_; }
  const SweepFile& file() const { return file_; }
  const protocol::RunSpec& base() const { return base_; }

 private:
  void take_recipe(const std::string& name, const Json& given, const Json& search) {
    const run::Recipe::Values values = values_in(given);
    if (!search.is_object())
      throw Error(ErrorKind::usage, "\"search\" must be an object of ranges and values by parameter");
    const auto recipe = run::installed_recipe(name);
    if (!recipe) {
      complaints_["recipe"] = say("this machine has no such recipe");
      return;
    }
    file_.recipe = recipe->name;
    for (const auto& [parameter, complaint] : complaints_about(*recipe, values, say("a sweep's file")))
      if (!search.contains(parameter)) complaints_["values." + parameter] = complaint;
    for (const auto& [parameter, range] : search.items())
      if (!recipe->parameter(parameter))
        complaints_["search." + parameter] = say("the recipe has no parameter of this name");
    for (const run::Parameter& parameter : recipe->parameters) take_parameter(parameter, values, search);
    if (search.empty()) complaints_["sweep"] = say("choose at least one setting to search");
    if (!complaints_.empty()) return;
    try {
      base_ = recipe->spec();
      base_.auto_replicas.emplace();  // as `batchscope sweep run`, unless somebody says how many
    } catch (const Error& error) {    // its program is not built
      complaints_["recipe"] = error.what();
    }
  }

  // A setting that is not searched is a parameter with one value, where it is not the recipe's own.
  void take_parameter(const run::Parameter& parameter, const run::Recipe::Values& values,
                      const Json& search) {
    if (search.contains(parameter.name)) {
      try {
        file_.parameters.push_back(searched(parameter, search.at(parameter.name)));
      } catch (const Error& error) {
        complaints_["search." + parameter.name] = error.what();
      }
      return;
    }
    const auto value = values.find(parameter.name);
    if (value == values.end() || value->second == parameter.value) return;
    sweep::Parameter fixed;
    fixed.name = parameter.name;
    fixed.choices = {value->second};
    file_.parameters.push_back(std::move(fixed));
  }

  void take(const std::string& name, const Json& value) {
    if (name == "recipe" || name == "values" || name == "search") return;
    try {
      if (name == "name")
        storage::check_name(file_.name = text_in(value, name));
      else if (name == "metric")
        storage::check_series(file_.metric = text_in(value, name));
      else if (name == "goal")
        take_goal(text_in(value, name));
      else if (name == "method")
        take_method(text_in(value, name));
      else if (name == "trials")
        file_.trials = whole_in(value, name, 1, SweepFile::kMostTrials);
      else if (name == "seeds")
        file_.seeds = whole_in(value, name, 1, SweepFile::kMostSeeds);
      else if (name == "stop")
        take_stop(value);
      else if (name == "replicas")
        take_replicas(text_in(value, name));
      else if (name == "check")
        only_checks_ = truth_in(value, name);
      else
        throw http::Fault{400, name + " is not a field of a new sweep"};
    } catch (const Error& error) {
      complaints_[name] = error.what();
    }
  }

  void take_goal(const std::string& text) {
    const auto goal = sweep::goal_named(text);
    if (!goal) throw Error(ErrorKind::usage, "goal must be min or max");
    file_.goal = *goal;
  }

  void take_method(const std::string& text) {
    const auto method = sweep::method_named(text);
    if (!method) throw Error(ErrorKind::usage, "method must be tpe, random, sobol or grid");
    file_.method = *method;
  }

  // Tells what is wrong with a field of the rule by that field.
  void take_stop(const Json& rule) {
    if (!rule.is_object()) throw Error(ErrorKind::usage, "send {\"kind\":\"asha\",\"min\":\"200\"}");
    for (const auto& [name, value] : rule.items()) {
      try {
        if (name == "kind")
          file_.stop.kind = stop_kind(text_in(value, "kind"));
        else if (name == "min")
          file_.stop.min = above_in(rule, "min", 0);
        else if (name == "max")
          file_.stop.max = above_in(rule, "max", 0);
        else if (name == "eta")
          file_.stop.eta = above_in(rule, "eta", 1);
        else
          throw http::Fault{400, name + " is not a field of early stopping"};
      } catch (const Error& error) {
        complaints_["stop." + name] = error.what();
      }
    }
    if (file_.stop.kind == sweep::StopRule::Kind::none) file_.stop = {};
    if (file_.stop.max && *file_.stop.max <= file_.stop.min)
      complaints_["stop.max"] = say("max must be above min");
    if (file_.stop.kind == sweep::StopRule::Kind::pbt && !rule.contains("max"))
      complaints_["stop.max"] = say("pbt needs max, the last rung: without it the sweep would not end");
  }

  void take_replicas(const std::string& text) {
    if (text.empty()) return;
    const auto count = protocol::ReplicaCount::parse(text);
    base_.replicas = count.first(base_.replicas);
    base_.auto_replicas = count.automatic;
    file_.replicas = text;
  }

  SweepFile file_;
  protocol::RunSpec base_;
  bool only_checks_ = false;
  std::map<std::string, std::string> complaints_;  // by field
};

}  // namespace

http::Response begin_sweep(Store& store, const std::string& person, const Json& body) {
  const SweepDraft draft(body);
  if (draft.only_checks()) return json_response({{"fields", draft.complaints()}});
  if (!draft.complaints().empty()) return complaint_response(draft.complaints());
  storage::Catalogue& catalogue = store.catalogue();
  sweep::create(catalogue, draft.file(), draft.base(), false, 0, {},
                person.empty() ? "" : "begun by " + person);
  return json_response(
      {{"sweep", shown_sweep_json(sweep::look(catalogue, draft.file().name), sweep::kDriver.alive())}});
}

}  // namespace batchscope::web
