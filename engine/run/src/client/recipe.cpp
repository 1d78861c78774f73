// SPDX-License-Identifier: Apache-2.0
//
// Reading recipe.toml (RECIPES.md) and making a spec of it. Every fault is told with its file, line and
// field, because people write these files by hand.
#include "batchscope/run/recipe.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/toml_fields.h"
#include "system/programs.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;
using Type = Parameter::Type;

constexpr std::array<std::pair<Type, const char*>, 5> kTypes{{{Type::integer, "integer"},
                                                              {Type::number, "number"},
                                                              {Type::text, "text"},
                                                              {Type::flag, "flag"},
                                                              {Type::choice, "choice"}}};

std::string bound_text(double value) {
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

std::optional<double> parse_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

Parameter read_parameter(const fs::path& file, const toml::table& table, bool has_gpu) {
  TomlFields fields(file, table);
  Parameter parameter;
  parameter.name = fields.required_text("name");
  if (parameter.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") != std::string::npos ||
      parameter.name.front() == '-')
    fields.fail(table, "parameter '" + parameter.name + "': a name has a-z, 0-9, - and _ only");
  const std::string type = fields.required_text("type");
  const auto known =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& t) { return t.second == type; });
  if (known == kTypes.end())
    fields.fail(*fields.find("type"), "parameter '" + parameter.name + "': type '" + type +
                                          "' is not one of integer, number, text, flag, choice");
  parameter.type = known->first;
  parameter.minimum = fields.number("min");
  parameter.maximum = fields.number("max");
  parameter.choices = fields.texts("choices");
  parameter.help = fields.text("help");
  parameter.value = fields.scalar("default");
  parameter.at_least = fields.text("at_least");
  parameter.unless = fields.text("unless");
  const std::string for_cpu = fields.scalar("default_cpu");
  fields.no_others();

  if (parameter.type == Type::flag && parameter.value.empty()) parameter.value = "false";
  if (parameter.type == Type::choice && parameter.choices.empty())
    fields.fail(table, "parameter '" + parameter.name + "': a choice needs the field 'choices'");
  const bool numeric = parameter.type == Type::integer || parameter.type == Type::number;
  if (!numeric && (parameter.minimum || parameter.maximum))
    fields.fail(table, "parameter '" + parameter.name + "': min and max are for integer and number");
  if (parameter.minimum && parameter.maximum && *parameter.minimum > *parameter.maximum)
    fields.fail(table, "parameter '" + parameter.name + "': its min is above its max");
  parameter.left_out = parameter.value;
  if (const std::string complaint = parameter.complaint(parameter.value); !complaint.empty())
    fields.fail(table, "parameter '" + parameter.name + "': its default is wrong: " + complaint);
  if (!for_cpu.empty()) {
    if (const std::string complaint = parameter.complaint(for_cpu); !complaint.empty())
      fields.fail(*fields.find("default_cpu"),
                  "parameter '" + parameter.name + "': its default for a CPU is wrong: " + complaint);
    if (!has_gpu) parameter.value = for_cpu;
  }
  return parameter;
}

// Checks that at_least and unless name parameters that are there, and of a kind that can be compared.
void check_relations(const TomlFields& fields, const toml::node& at, const Recipe& recipe) {
  const auto is_of = [&](const std::string& name, std::initializer_list<Type> types) {
    const Parameter* const found = recipe.parameter(name);
    return found != nullptr && std::find(types.begin(), types.end(), found->type) != types.end();
  };
  for (const Parameter& parameter : recipe.parameters) {
    if (!parameter.at_least.empty() && (!is_of(parameter.at_least, {Type::integer, Type::number}) ||
                                        !is_of(parameter.name, {Type::integer, Type::number})))
      fields.fail(at, "parameter '" + parameter.name +
                          "': at_least compares two numbers: this parameter or '" + parameter.at_least +
                          "' is not one");
    if (!parameter.unless.empty() && !is_of(parameter.unless, {Type::flag}))
      fields.fail(at, "parameter '" + parameter.name + "': unless names a flag, and '" + parameter.unless +
                          "' is not one");
  }
}

// The table [faults]: what a fault does, and how long anything may take.
void read_faults(const fs::path& file, const toml::table& table, Recipe& recipe) {
  TomlFields fields(file, table);
  // Reports what is wrong with the field, or with `at`, with its place.
  const auto placed = [&](const toml::node& at, const std::string& what, const auto& attempt) {
    try {
      attempt();
    } catch (const Error& error) {
      fields.fail(at, what + ": " + error.what());
    }
  };
  const auto read = [&](const char* name, const auto& take) {
    if (const std::string text = fields.scalar(name); !text.empty())
      placed(*fields.find(name), std::string("field '") + name + "'", [&] { take(text); });
  };
  const auto read_time = [&](const char* name, double& seconds) {
    read(name, [&](const std::string& text) { seconds = protocol::parse_duration(text); });
  };
  read_time("collective_timeout", recipe.time_outs.collective);
  read_time("hang_timeout", recipe.time_outs.step);
  read_time("rescale_timeout", recipe.time_outs.rescale);
  read_time("checkpoint_timeout", recipe.time_outs.checkpoint);
  read("non_finite", [&](const std::string& text) { recipe.non_finite = protocol::parse_non_finite(text); });
  read("restart_budget", [&](const std::string& text) {
    const auto budget = parse_number(text);
    if (!budget || *budget < 0 || *budget > protocol::kMostRestarts || *budget != std::floor(*budget))
      throw Error(ErrorKind::usage,
                  "expected a whole number from 0 to " + std::to_string(protocol::kMostRestarts));
    recipe.restart_budget = static_cast<int>(*budget);
  });
  placed(table, "[faults]", [&] { recipe.time_outs.check(); });
  fields.no_others();
}

fs::path find_program(const Recipe& recipe) {
  const bool relative = recipe.program.find('/') != std::string::npos;
  std::error_code error;  // a name that is none
  const fs::path program = relative ? fs::weakly_canonical(recipe.file.parent_path() / recipe.program, error)
                                    : program_directory() / recipe.program;
  if (error || !is_executable(program))
    throw Error(ErrorKind::not_found, "recipe " + recipe.name + ": there is no program " + program.string() +
                                          "; build it, or correct 'program' in " + recipe.file.string());
  return program;
}

}  // namespace

std::string Parameter::complaint(const std::string& text) const {
  switch (type) {
    case Type::text: return {};
    case Type::flag: return text == "true" || text == "false" ? "" : "expected true or false";
    case Type::choice: {
      if (std::find(choices.begin(), choices.end(), text) != choices.end()) return {};
      std::string list;
      for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
      return "expected one of " + list;
    }
    default: break;
  }
  const auto value = parse_number(text);
  const bool right_kind = value && (type == Type::number || *value == std::floor(*value));
  if (right_kind && value >= minimum.value_or(*value) && value <= maximum.value_or(*value)) return {};
  std::string expected = type == Type::integer ? "expected a whole number" : "expected a number";
  if (minimum) expected += " of at least " + bound_text(*minimum);
  if (maximum) expected += (minimum ? " and at most " : " of at most ") + bound_text(*maximum);
  return expected;
}

Recipe Recipe::load(const fs::path& file) {
  const toml::table table = read_toml(file, "recipe");
  TomlFields fields(file, table);
  Recipe recipe;
  recipe.file = fs::absolute(file);
  recipe.name = fields.required_text("name");
  recipe.title = fields.required_text("title");
  recipe.description = fields.text("description");
  recipe.program = fields.required_text("program");
  if (const std::string replicas = fields.scalar("replicas"); !replicas.empty()) {
    try {
      const auto count = protocol::ReplicaCount::parse(replicas);
      recipe.replicas = count.first(recipe.replicas);
      recipe.auto_replicas = count.automatic;
    } catch (const Error& error) {
      fields.fail(*fields.find("replicas"), std::string("field 'replicas': ") + error.what());
    }
  }
  if (const auto of_each = fields.number("devices_per_replica")) {
    if (!(*of_each >= 1 && *of_each <= protocol::kMostReplicas && *of_each == std::floor(*of_each)))
      fields.fail(*fields.find("devices_per_replica"),
                  fmt::format("field 'devices_per_replica': expected a whole number from 1 to {}, found {}",
                              protocol::kMostReplicas, *of_each));
    recipe.devices_per_replica = static_cast<int>(*of_each);
  }
  if (const toml::node* faults = fields.find("faults")) {
    if (!faults->is_table())
      fields.fail(*faults, "faults is not a table: write what a fault does below [faults]");
    read_faults(file, *faults->as_table(), recipe);
  }
  if (const toml::node* list = fields.find("parameter")) {
    if (!list->is_array_of_tables()) fields.fail(*list, "parameters are written as [[parameter]]");
    const bool has_gpu = !Machine::here().gpus.empty();
    for (const toml::node& entry : *list->as_array()) {
      Parameter parameter = read_parameter(file, *entry.as_table(), has_gpu);
      for (const Parameter& other : recipe.parameters)
        if (other.name == parameter.name)
          fields.fail(entry, "parameter '" + other.name + "' appears twice: remove one");
      recipe.parameters.push_back(std::move(parameter));
    }
    check_relations(fields, *list, recipe);
  }
  fields.no_others();
  return recipe;
}

const Parameter* Recipe::parameter(const std::string& wanted) const {
  const auto found = std::ranges::find(parameters, wanted, &Parameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

Recipe::Values Recipe::values(const Values& changed) const {
  Values all = changed;
  for (const Parameter& each : parameters) all.try_emplace(each.name, each.value);
  return all;
}

Recipe::Values Recipe::complaints(const Values& changed) const {
  const Values all = values(changed);
  Values complaints;
  for (const auto& [name, value] : all) {
    const Parameter* const known = parameter(name);
    const std::string complaint =
        known == nullptr ? "the recipe has no such parameter" : known->complaint(value);
    if (!complaint.empty()) complaints.emplace(name, complaint);
  }
  for (const Parameter& each : parameters) {
    if (each.at_least.empty() || complaints.contains(each.name) || complaints.contains(each.at_least))
      continue;
    if (!each.unless.empty() && all.at(each.unless) == "true") continue;
    const std::string& least = all.at(each.at_least);
    if (*parse_number(all.at(each.name)) < *parse_number(least))
      complaints.emplace(each.name, "expected at least " + least + ", the " + each.at_least);
  }
  return complaints;
}

std::vector<std::string> Recipe::arguments(const Values& changed) const {
  const Values all = values(changed);
  std::vector<std::string> words;
  for (const Parameter& each : parameters) {
    const std::string& value = all.at(each.name);
    if (each.type == Type::flag) {
      if (value == "true") words.push_back("--" + each.name);
    } else if (!value.empty()) {
      words.insert(words.end(), {"--" + each.name, value});
    }
  }
  return words;
}

std::optional<Recipe::Values> Recipe::values_of(const std::vector<std::string>& arguments) const {
  Values found;
  for (const Parameter& each : parameters)
    found[each.name] = each.type == Type::flag ? "false" : each.left_out;
  for (auto word = arguments.begin(); word != arguments.end(); ++word) {
    if (!word->starts_with("--")) return std::nullopt;
    const auto equals = word->find('=');
    const Parameter* const known = parameter(word->substr(2, equals - 2));
    if (known == nullptr) return std::nullopt;
    std::string& value = found.at(known->name);
    if (known->type == Type::flag) {
      if (equals != std::string::npos) return std::nullopt;
      value = "true";
    } else if (equals != std::string::npos) {
      value = word->substr(equals + 1);
    } else if (++word != arguments.end()) {
      value = *word;
    } else {
      return std::nullopt;
    }
  }
  return found;
}

bool Recipe::made(const protocol::RunSpec& spec) const {
  if (!spec.recipe.empty()) return spec.recipe == file.string();
  try {
    return spec.program == find_program(*this);
  } catch (const Error&) {  // it is not built
    return false;
  }
}

protocol::RunSpec Recipe::spec(const Values& values) const {
  std::string wrong;
  for (const auto& [parameter, complaint] : complaints(values)) {
    const auto given = values.find(parameter);
    wrong += (wrong.empty() ? "" : "; ") + parameter + ": " + complaint +
             (given == values.end() ? "" : ", found '" + given->second + "'");
  }
  if (!wrong.empty()) throw Error(ErrorKind::usage, "recipe " + name + ": " + wrong);

  protocol::RunSpec spec;
  spec.arguments = arguments(values);
  spec.name = name;
  spec.program = find_program(*this).string();
  spec.working_directory = fs::current_path().string();
  spec.recipe = file.string();
  spec.replicas = replicas;
  spec.auto_replicas = auto_replicas;
  spec.devices_per_replica = devices_per_replica;
  spec.time_outs = time_outs;
  spec.restart_budget = restart_budget;
  spec.non_finite = non_finite;
  spec.check();
  return spec;
}

std::vector<Recipe> installed_recipes() {
  std::vector<Recipe> recipes;
  for (const fs::path& folder :
       {program_directory() / "recipes", fs::path("/usr/share/batchscope/recipes")}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const fs::path file = entry.path() / "recipe.toml";
      if (!fs::is_regular_file(file)) continue;
      Recipe recipe;
      try {
        recipe = Recipe::load(file);
      } catch (const Error& fault) {  // the others are as good as ever
        std::fprintf(stderr, "batchscope: recipe left out: %s\n", fault.what());
        continue;
      }
      const auto same = [&](const Recipe& other) { return other.name == recipe.name; };
      // This build's come before the installation's.
      if (std::none_of(recipes.begin(), recipes.end(), same)) recipes.push_back(std::move(recipe));
    }
  }
  std::sort(recipes.begin(), recipes.end(), [](const Recipe& a, const Recipe& b) { return a.name < b.name; });
  return recipes;
}

std::optional<Recipe> installed_recipe(const std::string& name) {
  for (Recipe& recipe : installed_recipes())
    if (recipe.name == name) return std::move(recipe);
  return std::nullopt;
}

}  // namespace batchscope::run
