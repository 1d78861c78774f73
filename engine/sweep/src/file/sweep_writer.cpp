// SPDX-License-Identifier: Apache-2.0
//
// Writing FILE.toml. The library would sort the keys, and the order of the parameters counts; it would write
// 0.1 with 17 digits, too.
#include <fmt/core.h>
#include <toml++/toml.h>

#include <sstream>

#include "batchscope/sweep/sweep_file.h"
#include "file/names.h"

namespace batchscope::sweep {
namespace {

std::string toml_text(std::string_view text) {
  using Formatter = toml::toml_formatter;
  const toml::value<std::string> value{std::string(text)};
  std::ostringstream out;
  out << Formatter(value, Formatter::default_flags & ~toml::format_flags::allow_literal_strings);
  return out.str();
}

// Writes as few digits as read back to the same number, and a point: without one it would be an integer.
std::string toml_text(double number) {
  const std::string text = fmt::format("{}", number);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}
std::string toml_text(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + toml_text(text);
  return "[" + list + "]";
}

std::string number_text(const Parameter& parameter, double value) {
  return parameter.kind == Parameter::Kind::integer ? std::to_string(static_cast<std::int64_t>(value))
                                                    : toml_text(value);
}

// A name without dots stands as it is.
std::string key_text(const std::string& name) {
  return name.find('.') == std::string::npos ? name : toml_text(name);
}

void write(std::ostream& out, const Parameter& parameter) {
  out << "\n[parameter." << key_text(parameter.name) << "]\n";
  if (parameter.kind != Parameter::Kind::choice) {
    out << "min = " << number_text(parameter, parameter.min)
        << "\nmax = " << number_text(parameter, parameter.max) << "\n";
    if (parameter.log) out << "scale = " << toml_text(name_of(kScales, true)) << "\n";
    if (parameter.step) out << "step = " << number_text(parameter, *parameter.step) << "\n";
  } else if (parameter.choices.size() == 1) {
    out << "value = " << toml_text(parameter.choices.front()) << "\n";
  } else {
    out << "values = " << toml_text(parameter.choices) << "\n";
  }
  if (const auto& when = parameter.when)
    out << "when = { " << key_text(when->parameter) << " = " << toml_text(when->values) << " }\n";
}

}  // namespace

std::string SweepFile::text() const {
  std::ostringstream out;
  out << "name = " << toml_text(name) << "\n";
  if (!recipe.empty()) out << "recipe = " << toml_text(recipe) << "\n";
  if (!program.empty()) out << "program = " << toml_text(program) << "\n";
  if (!arguments.empty()) out << "arguments = " << toml_text(arguments) << "\n";
  out << "metric = " << toml_text(metric) << "\ngoal = " << toml_text(name_of(kGoals, goal)) << "\n";
  if (trials) out << "trials = " << *trials << "\n";
  if (device_hours) out << "device_hours = " << toml_text(*device_hours) << "\n";
  if (seeds != 1) out << "seeds = " << seeds << "\n";
  if (seed != 0) out << "seed = " << seed << "\n";
  if (!replicas.empty()) out << "replicas = " << toml_text(replicas) << "\n";
  if (!device.empty()) out << "device = " << toml_text(device) << "\n";
  if (devices_per_replica > 0) out << "devices_per_replica = " << devices_per_replica << "\n";
  out << "method = " << toml_text(name_of(kMethods, method)) << "\n";
  if (stop.kind != StopRule::Kind::none) {
    out << "\n[stop]\nkind = " << toml_text(name_of(kStopKinds, stop.kind))
        << "\nmin = " << toml_text(stop.min) << "\n";
    if (stop.max) out << "max = " << toml_text(*stop.max) << "\n";
    if (stop.kind == StopRule::Kind::pbt)
      out << "share = " << toml_text(stop.population.share)
          << "\nresample = " << toml_text(stop.population.resample) << "\n";
    else
      out << "eta = " << toml_text(stop.eta) << "\n";
    if (stop.unit != StopRule::Unit::iterations)
      out << "unit = " << toml_text(name_of(kStopUnits, stop.unit)) << "\n";
  }
  for (const Parameter& parameter : parameters) write(out, parameter);
  return out.str();
}

}  // namespace batchscope::sweep
