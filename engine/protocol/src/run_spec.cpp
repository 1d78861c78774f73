// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/run_spec.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {
namespace {

using When = Trigger::When;
using Action = Trigger::Action;

// The first name of a clock is the one that is written.
constexpr std::array<std::pair<When, const char*>, 5> kWhens{{{When::epoch, "epoch"},
                                                              {When::step, "step"},
                                                              {When::progress, "iterations"},
                                                              {When::progress, "progress"},
                                                              {When::elapsed, "elapsed"}}};
constexpr std::array<std::pair<Action, const char*>, 4> kActions{{{Action::replicas, "replicas"},
                                                                  {Action::checkpoint, "checkpoint"},
                                                                  {Action::pause, "pause"},
                                                                  {Action::stop, "stop"}}};

template <typename Value, std::size_t N>
const char* name_of(const std::array<std::pair<Value, const char*>, N>& table, Value value) {
  for (const auto& [known, name] : table)
    if (known == value) return name;
  return "";
}

template <typename Value, std::size_t N>
std::optional<Value> value_of(const std::array<std::pair<Value, const char*>, N>& table,
                              const std::string& name) {
  for (const auto& [value, known] : table)
    if (name == known) return value;
  return std::nullopt;
}

std::optional<double> parse_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    return {};
  return value;
}

std::string shortest(double value) {
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error(ErrorKind::usage,
              "trigger '" + text + "': " + why +
                  "; the form is {epoch|step|iterations|elapsed}=X:{replicas=N|checkpoint|pause|stop}, "
                  "for example step=400:checkpoint or elapsed=30s:replicas=2");
}

// Throws where it does not fit, which the library would cut off.
template <typename Value>
Value whole_number(const Json& json) {
  if (!json.is_number_integer()) throw std::invalid_argument("not a whole number");
  if (json.is_number_unsigned() && !std::in_range<Value>(json.get<std::uint64_t>()))
    throw std::out_of_range("too large");
  if (!std::in_range<Value>(json.get<std::int64_t>())) throw std::out_of_range("too large");
  return json.get<Value>();
}

// Written so that a NaN is in no range.
template <typename Value>
void in_range(const char* field, Value value, Value least, Value most) {
  if (value >= least && value <= most) return;
  std::ostringstream text;
  text << "run spec: field \"" << field << "\" is " << value << "; expected a number from " << least << " to "
       << most;
  throw Error(ErrorKind::usage, text.str());
}

}  // namespace

Trigger Trigger::parse(const std::string& text) {
  const auto equals = text.find('=');
  const auto colon = text.find(':');
  if (equals == std::string::npos || colon == std::string::npos || colon < equals)
    refuse(text, "X or the action is missing");
  Trigger trigger;
  const auto when = value_of(kWhens, text.substr(0, equals));
  if (!when) refuse(text, "it must begin with epoch, step, iterations or elapsed");
  trigger.when = *when;

  const std::string at = text.substr(equals + 1, colon - equals - 1);
  if (trigger.when == When::elapsed) {
    trigger.at = parse_duration(at);
  } else {
    const auto number = parse_number(at);
    if (!number) refuse(text, "'" + at + "' is not a number");
    trigger.at = *number;
    if (trigger.when != When::progress && trigger.at != std::floor(trigger.at))
      refuse(text, "epochs and steps are whole numbers");
  }

  std::string action = text.substr(colon + 1);
  std::string count;
  if (const auto sign = action.find('='); sign != std::string::npos) {
    count = action.substr(sign + 1);
    action.resize(sign);
  }
  const auto parsed_action = value_of(kActions, action);
  if (!parsed_action) refuse(text, "'" + action + "' is not an action");
  trigger.action = *parsed_action;
  if (trigger.action == Action::replicas) {
    const auto number = parse_number(count);
    if (!number || *number < 1 || *number > kMostReplicas || *number != std::floor(*number))
      refuse(text, "replicas needs a whole number of at least 1");
    trigger.replicas = static_cast<int>(*number);
  } else if (!count.empty()) {
    refuse(text, "'" + action + "' takes no value");
  }
  return trigger;
}

std::string Trigger::text() const {
  std::string result = std::string(name_of(kWhens, when)) + "=" + shortest(at);
  if (when == When::elapsed) result += "s";
  result += std::string(":") + name_of(kActions, action);
  if (action == Action::replicas) result += "=" + std::to_string(replicas);
  return result;
}

void to_json(Json& json, const Trigger& trigger) { json = trigger.text(); }

void from_json(const Json& json, Trigger& trigger) {
  if (!json.is_string())
    throw Error(ErrorKind::usage,
                "a trigger is a text such as \"step=400:checkpoint\", found " + json.dump());
  trigger = Trigger::parse(json.get<std::string>());
}

void RunSpec::check() const {
  in_range("replicas", replicas, 1, kMostReplicas);
  if (auto_replicas) {
    in_range("auto_replicas", auto_replicas->min, 1, kMostReplicas);
    if (auto_replicas->max != 0)
      in_range("auto_replicas", auto_replicas->max, auto_replicas->min, kMostReplicas);
  }
  in_range("efficiency_floor", efficiency_floor, 0.0, 1.0);
  for (const Trigger& trigger : triggers) {
    in_range("triggers", trigger.at, 0.0, std::numeric_limits<double>::max());
    if (trigger.action == Action::replicas) in_range("triggers", trigger.replicas, 1, kMostReplicas);
  }
  time_outs.check();
  in_range("checkpoint_interval", checkpoint_interval, 0.0, kLongestDuration);
  in_range("devices_per_replica", devices_per_replica, 0, kMostReplicas);
  in_range("restart_budget", restart_budget, 0, kMostRestarts);
  in_range("max_local_batch_size", max_local_batch_size, std::int64_t{0},
           std::int64_t{std::numeric_limits<int>::max()});
}

void to_json(Json& json, const RunSpec& spec) {
  json = {{"name", spec.name},
          {"program", spec.program},
          {"arguments", spec.arguments},
          {"working_directory", spec.working_directory},
          {"recipe", spec.recipe},
          {"replicas", spec.replicas},
          {"auto_replicas", spec.auto_replicas ? Json(*spec.auto_replicas) : Json()},
          {"efficiency_floor", spec.efficiency_floor},
          {"devices_per_replica", spec.devices_per_replica},
          {"oversubscribe", spec.oversubscribe},
          {"device", spec.device},
          {"tls", spec.tls},
          {"group", spec.group},
          {"triggers", spec.triggers},
          {"environment", spec.environment},
          {"collective_timeout", spec.time_outs.collective},
          {"hang_timeout", spec.time_outs.step},
          {"rescale_timeout", spec.time_outs.rescale},
          {"checkpoint_timeout", spec.time_outs.checkpoint},
          {"checkpoint_interval", spec.checkpoint_interval},
          {"restart_budget", spec.restart_budget},
          {"non_finite", non_finite_name(spec.non_finite)},
          {"max_local_batch_size", spec.max_local_batch_size}};
}

void from_json(const Json& json, RunSpec& spec) {
  const RunSpec defaults;
  const auto read = [&](const char* field, auto& value, const auto& fallback) {
    const auto found = json.find(field);
    if (found == json.end()) {
      value = fallback;
      return;
    }
    using Value = std::remove_reference_t<decltype(value)>;
    constexpr bool whole = std::is_integral_v<Value> && !std::is_same_v<Value, bool>;
    try {
      if constexpr (whole)
        value = whole_number<Value>(*found);
      else
        found->get_to(value);
    } catch (const Error&) {
      throw;
    } catch (const std::exception&) {
      throw Error(ErrorKind::usage,
                  std::string("run spec: field \"") + field + "\" has the wrong type: " + found->dump());
    }
  };
  if (!json.is_object()) throw Error(ErrorKind::usage, "run spec: expected an object, found " + json.dump());
  read("name", spec.name, defaults.name);
  read("program", spec.program, defaults.program);
  read("arguments", spec.arguments, defaults.arguments);
  read("working_directory", spec.working_directory, defaults.working_directory);
  read("recipe", spec.recipe, defaults.recipe);
  read("replicas", spec.replicas, defaults.replicas);
  spec.auto_replicas.reset();
  if (const auto range = json.find("auto_replicas"); range != json.end() && !range->is_null())
    read("auto_replicas", spec.auto_replicas.emplace(), AutoReplicas{});
  read("efficiency_floor", spec.efficiency_floor, defaults.efficiency_floor);
  read("devices_per_replica", spec.devices_per_replica, defaults.devices_per_replica);
  read("oversubscribe", spec.oversubscribe, defaults.oversubscribe);
  read("device", spec.device, defaults.device);
  read("tls", spec.tls, defaults.tls);
  read("group", spec.group, defaults.group);
  read("triggers", spec.triggers, defaults.triggers);
  read("environment", spec.environment, defaults.environment);
  read("collective_timeout", spec.time_outs.collective, defaults.time_outs.collective);
  read("hang_timeout", spec.time_outs.step, defaults.time_outs.step);
  read("rescale_timeout", spec.time_outs.rescale, defaults.time_outs.rescale);
  read("checkpoint_timeout", spec.time_outs.checkpoint, defaults.time_outs.checkpoint);
  read("checkpoint_interval", spec.checkpoint_interval, defaults.checkpoint_interval);
  read("restart_budget", spec.restart_budget, defaults.restart_budget);
  std::string non_finite;
  read("non_finite", non_finite, std::string(non_finite_name(defaults.non_finite)));
  spec.non_finite = parse_non_finite(non_finite);
  read("max_local_batch_size", spec.max_local_batch_size, defaults.max_local_batch_size);
  spec.check();
}

}  // namespace batchscope::protocol
