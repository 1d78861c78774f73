// SPDX-License-Identifier: Apache-2.0
//
// Reading FILE.toml (SWEEPS.md). Every fault is told with its file, line and key, because people write these
// files by hand, and a key that nobody knows is a fault: a misspelt one must not be ignored in silence.
#include "batchscope/sweep/sweep_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "batchscope/protocol/devices.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/run/toml_fields.h"
#include "file/names.h"

namespace batchscope::sweep {
namespace {

namespace fs = std::filesystem;
using run::TomlFields;

// The table's key, one of the names.
template <typename Value, std::size_t count>
std::optional<Value> read_name(TomlFields& fields, const char* key, const Names<Value, count>& names) {
  const std::string name = fields.text(key);
  if (name.empty()) return std::nullopt;
  if (const auto value = value_of(names, name)) return value;
  fields.fail(*fields.find(key), fmt::format("field '{}': '{}' is not one of {}", key, name, list(names)));
}

std::optional<std::int64_t> read_whole(TomlFields& fields, const char* key, std::int64_t least,
                                       std::int64_t most) {
  const auto number = fields.number(key);
  if (!number) return std::nullopt;
  if (*number == std::floor(*number) && *number >= static_cast<double>(least) &&
      *number <= static_cast<double>(most))
    return static_cast<std::int64_t>(*number);
  fields.fail(*fields.find(key), fmt::format("field '{}': expected a whole number from {} to {}, found {}",
                                             key, least, most, *number));
}

double read_above(TomlFields& fields, const char* key, double bound, std::optional<double> default_value) {
  const auto number = fields.number(key);
  if (!number && default_value) return *default_value;
  if (!number) fields.miss(key, fmt::format("field '{}' is missing: a number above {}", key, bound));
  if (*number > bound) return *number;
  fields.fail(*fields.find(key),
              fmt::format("field '{}': expected a number above {}, found {}", key, bound, *number));
}

std::optional<double> read_share(TomlFields& fields, const char* key, double most) {
  const auto number = fields.number(key);
  if (number && !(*number >= 0 && *number <= most))
    fields.fail(*fields.find(key),
                fmt::format("field '{}': expected a number from 0 to {}, found {}", key, most, *number));
  return number;
}

// when = { OTHER = value } or { OTHER = [values] }
Condition read_condition(const fs::path& file, const TomlFields& fields, const toml::node& node) {
  const toml::table* table = node.as_table();
  if (!table || table->size() != 1)
    fields.fail(node,
                "field 'when': expected one other parameter with its values, as { optimizer = [\"sgd\"] }");
  TomlFields inner(file, *table);
  const std::string other(table->begin()->first.str());
  if (table->begin()->second.is_array()) return {other, inner.scalars(other.c_str())};
  return {other, {inner.scalar(other.c_str())}};
}

void read_range(TomlFields& fields, Parameter& parameter) {
  for (const char* key : {"min", "max"})
    if (!fields.find(key))
      fields.miss(key,
                  fmt::format("parameter '{}' has no '{}': give it min and max, or values, or a fixed value",
                              parameter.name, key));
  parameter.min = *fields.number("min");
  parameter.max = *fields.number("max");
  parameter.step = fields.number("step");
  const bool whole = fields.find("min")->is_integer() && fields.find("max")->is_integer() &&
                     (!parameter.step || fields.find("step")->is_integer());
  parameter.kind = whole ? Parameter::Kind::integer : Parameter::Kind::real;
  parameter.log = read_name(fields, "scale", kScales).value_or(false);
}

Parameter read_parameter(const fs::path& file, const std::string& name, const toml::table& table) {
  TomlFields fields(file, table);
  Parameter parameter;
  parameter.name = name;
  if (const toml::node* when = fields.find("when")) parameter.when = read_condition(file, fields, *when);
  const bool fixed = fields.find("value"), listed = fields.find("values");
  const bool range =
      table.contains("min") || table.contains("max") || table.contains("step") || table.contains("scale");
  if (fixed + listed + range > 1)
    fields.fail(
        table,
        fmt::format("parameter '{}' has more than one of min and max, values, and value: keep one", name));
  if (fixed)
    parameter.choices = {fields.scalar("value")};
  else if (listed)
    parameter.choices = fields.scalars("values");
  else
    read_range(fields, parameter);
  fields.no_others();
  return parameter;
}

void read_parameters(const fs::path& file, TomlFields& fields, SweepFile& sweep) {
  const toml::node* node = fields.find("parameter");
  if (!node)
    fields.miss("parameter",
                "there is nothing to search: add a table [parameter.NAME] with min and max, or values");
  if (!node->is_table()) fields.fail(*node, "parameters are written as [parameter.NAME]");
  std::vector<std::pair<std::string, const toml::table*>> tables;
  for (const auto& [key, value] : *node->as_table()) {
    if (!value.is_table())
      fields.fail(value, fmt::format("parameters are written as [parameter.{}]", key.str()));
    tables.emplace_back(key.str(), value.as_table());
  }
  std::ranges::stable_sort(tables, {}, [](const auto& entry) {
    const auto& begin = entry.second->source().begin;
    return std::pair(begin.line, begin.column);
  });
  for (const auto& [name, table] : tables) sweep.parameters.push_back(read_parameter(file, name, *table));
  if (const auto fault = Space::fault(sweep.parameters))
    fields.fail(*tables[fault->parameter].second, fault->what);
  if (!sweep.searches()) fields.fail(*node, "there is nothing to search: every parameter is fixed");
}

StopRule read_stop(const fs::path& file, const toml::table& table) {
  TomlFields fields(file, table);
  StopRule rule;
  rule.kind = read_name(fields, "kind", kStopKinds).value_or(StopRule::Kind::none);
  if (!fields.find("kind")) fields.miss("kind", "field 'kind' is missing: one of " + list(kStopKinds));
  if (rule.kind == StopRule::Kind::none) {
    fields.no_others();
    return rule;
  }
  rule.min = read_above(fields, "min", 0, {});
  rule.max = fields.number("max");
  if (rule.max && !(*rule.max > rule.min))
    fields.fail(*fields.find("max"),
                fmt::format("field 'max': {} is not above min, {}: no trial would ever be stopped", *rule.max,
                            rule.min));
  rule.unit = read_name(fields, "unit", kStopUnits).value_or(rule.unit);
  if (rule.kind == StopRule::Kind::pbt) {
    if (!rule.max) fields.miss("max", "field 'max' is missing: without it pbt would not end");
    rule.population.share = read_share(fields, "share", 0.5).value_or(rule.population.share);
    rule.population.resample = read_share(fields, "resample", 1).value_or(rule.population.resample);
  } else {
    rule.eta = read_above(fields, "eta", 1, rule.eta);
  }
  fields.no_others();
  return rule;
}

// The table's key, or nothing; refused with what `check` throws.
template <typename Check>
std::string read_checked(TomlFields& fields, const char* key, Check check) {
  if (!fields.find(key)) return "";
  const std::string text = fields.scalar(key);
  try {
    check(text);
  } catch (const Error& error) {
    fields.fail(*fields.find(key), fmt::format("field '{}': {}", key, error.what()));
  }
  return text;
}

SweepFile read(const fs::path& file, const toml::table& table) {
  TomlFields fields(file, table);
  SweepFile sweep;
  sweep.name = fields.find("name") ? fields.required_text("name") : file.stem().string();
  sweep.recipe = fields.text("recipe");
  sweep.program = fields.text("program");
  if (!sweep.recipe.empty() && !sweep.program.empty())
    fields.fail(table, "there are a recipe and a program: give one of them");
  if (sweep.recipe.empty() && sweep.program.empty())
    fields.miss("recipe", "nothing is trained: give a recipe or a program");
  sweep.arguments = fields.scalars("arguments");
  sweep.metric = fields.required_text("metric");
  const auto goal = read_name(fields, "goal", kGoals);
  if (!goal) fields.miss("goal", "field 'goal' is missing: one of " + list(kGoals));
  sweep.goal = *goal;
  if (const auto count = read_whole(fields, "trials", 1, SweepFile::kMostTrials))
    sweep.trials = static_cast<int>(*count);
  if (fields.find("device_hours")) sweep.device_hours = read_above(fields, "device_hours", 0, {});
  sweep.seeds = static_cast<int>(read_whole(fields, "seeds", 1, SweepFile::kMostSeeds).value_or(sweep.seeds));
  sweep.seed = static_cast<std::uint64_t>(read_whole(fields, "seed", 0, std::int64_t{1} << 53).value_or(0));
  sweep.method = read_name(fields, "method", kMethods).value_or(sweep.method);
  if (const toml::node* stop = fields.find("stop")) {
    if (!stop->is_table())
      fields.fail(*stop, "stop is not a table: write how trials are stopped below [stop]");
    sweep.stop = read_stop(file, *stop->as_table());
  }
  sweep.replicas = read_checked(fields, "replicas", protocol::ReplicaCount::parse);
  sweep.device = read_checked(fields, "device", protocol::check_device_kind);
  sweep.devices_per_replica =
      static_cast<int>(read_whole(fields, "devices_per_replica", 1, protocol::kMostReplicas).value_or(0));
  read_parameters(file, fields, sweep);
  fields.no_others();
  if (sweep.method != Method::grid && !sweep.trials)
    fields.miss("trials", "field 'trials' is missing: only a grid ends without it");
  if (sweep.method == Method::grid) {
    try {
      grid_size(Space(sweep.parameters));
    } catch (const Error& error) {
      fields.fail(fields.find("method") ? *fields.find("method") : table, error.what());
    }
  }
  return sweep;
}

}  // namespace

std::optional<Goal> goal_named(std::string_view name) { return value_of(kGoals, name); }
std::optional<Method> method_named(std::string_view name) { return value_of(kMethods, name); }
std::optional<StopRule::Kind> stop_kind_named(std::string_view name) { return value_of(kStopKinds, name); }

SweepFile SweepFile::load(const fs::path& file) { return read(file, run::read_toml(file, "sweep file")); }

SweepFile SweepFile::parse(const std::string& text, const fs::path& source) {
  try {
    return read(source, toml::parse(text, source.string()));
  } catch (const toml::parse_error& fault) {
    throw Error(ErrorKind::usage,
                fmt::format("{}:{}: {}", source.string(), fault.source().begin.line, fault.description()));
  }
}

}  // namespace batchscope::sweep
