// SPDX-License-Identifier: Apache-2.0
#include "batchscope/sweep/space.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "batchscope/protocol/error.h"

namespace batchscope::sweep {
namespace {

using Kind = Parameter::Kind;

constexpr double kLargestInteger = 9007199254740992;  // 2^53: what a double counts to

constexpr double kMostSteps = 1e12;  // of a range

// The step of values that lie on a grid of their own.
std::optional<double> grid_step(const Parameter& parameter) {
  if (parameter.kind == Kind::integer) return parameter.step.value_or(1);
  return parameter.step;
}

std::optional<double> number_of(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Rounds off digits that nobody needs: a millionth of the value, on a linear scale of the range or the step.
double rounded(const Parameter& parameter, double value) {
  const double whole =
      parameter.log ? std::abs(value) : parameter.step.value_or(parameter.max - parameter.min);
  const int decimals = std::clamp(static_cast<int>(std::ceil(6 - std::log10(whole))), 0, 300);
  const double number = number_of(fmt::format("{:.{}f}", value, decimals)).value_or(value);
  return std::clamp(number, parameter.min, parameter.max);
}

bool is_name(const std::string& name) {
  constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !name.empty() && name.front() != '-' && name.find_first_not_of(kLetters) == std::string::npos;
}

std::string fault_of_choices(const Parameter& parameter) {
  if (parameter.choices.empty()) return "has no values: list at least one";
  for (auto choice = parameter.choices.begin(); choice != parameter.choices.end(); ++choice)
    if (std::find(parameter.choices.begin(), choice, *choice) != choice)
      return fmt::format("has the value '{}' twice: leave one out", *choice);
  return {};
}

std::string fault_of_range(const Parameter& parameter) {
  const double min = parameter.min, max = parameter.max;
  if (!std::isfinite(max - min)) return "has a min or max that is not finite, or too far from the other";
  if (!(min < max))
    return fmt::format(
        "has no values: its min {} is not below its max {}; a fixed one is written as value = {}", min, max,
        min);
  if (parameter.kind == Kind::integer) {
    const auto whole = [](double value) {
      return value == std::floor(value) && std::abs(value) <= kLargestInteger;
    };
    if (!whole(min) || !whole(max) || !whole(parameter.step.value_or(1)))
      return "is an integer: its min, max and step must be whole numbers";
  }
  if (parameter.log && !(min > 0))
    return fmt::format(
        "has a logarithmic scale, which does not reach its min {}: choose a min above 0, or the "
        "scale \"linear\"",
        min);
  if (parameter.log && parameter.step)
    return "has a logarithmic scale and a step, which do not go together: leave one out, or list the values";
  if (parameter.step && !(*parameter.step > 0 && *parameter.step <= max - min))
    return fmt::format("has the step {}: it must be above 0 and at most max - min, which is {}",
                       *parameter.step, max - min);
  if (parameter.step && (max - min) / *parameter.step > kMostSteps)
    return fmt::format("has the step {}, which gives too many values: leave the step out", *parameter.step);
  return {};
}

std::string fault_of_condition(std::span<const Parameter> parameters, const Parameter& parameter) {
  const Condition& when = *parameter.when;
  const auto parent = std::ranges::find(parameters, when.parameter, &Parameter::name);
  if (parent == parameters.end())
    return fmt::format("depends on '{}', and there is no such parameter", when.parameter);
  if (!parent->count())
    return fmt::format(
        "depends on '{}', which has endlessly many values: give that a step, or list its values",
        when.parameter);
  if (when.values.empty())
    return fmt::format("depends on no value of '{}': name at least one", when.parameter);
  for (const std::string& value : when.values)
    if (!parent->parse(value))
      return fmt::format("depends on the value '{}' of '{}', which is not among that parameter's values",
                         value, when.parameter);
  // At most as many steps as there are parameters lead to one that depends on nothing.
  std::vector<std::string> way{parameter.name};
  for (auto at = parent; at != parameters.end() && at->when && way.size() <= parameters.size();
       at = std::ranges::find(parameters, at->when->parameter, &Parameter::name)) {
    way.push_back(at->name);
    if (at->when->parameter == parameter.name)
      return fmt::format("depends on itself, by {} -> {}: take one of these conditions away",
                         fmt::join(way, " -> "), parameter.name);
  }
  return {};
}

}  // namespace

std::optional<std::size_t> Parameter::count() const {
  if (kind == Kind::choice) return choices.size();
  const auto grid = grid_step(*this);
  if (!grid) return std::nullopt;
  return static_cast<std::size_t>(std::floor((max - min) / *grid * (1 + 1e-12) + 1e-9)) + 1;
}

double Parameter::nth(std::size_t index) const {
  const auto number = static_cast<double>(index);
  if (kind == Kind::choice) return number;
  const double value = min + *grid_step(*this) * number;
  return kind == Kind::integer ? value : rounded(*this, value);
}

Interval Parameter::axis() const {
  if (kind == Kind::choice) return {0, static_cast<double>(choices.size())};
  if (!count()) return log ? Interval{std::log(min), std::log(max)} : Interval{min, max};
  return {cell(min).low, cell(nth(*count() - 1)).high};
}

double Parameter::on_axis(double value) const {
  if (kind == Kind::choice) return value + 0.5;
  return log ? std::log(value) : value;
}

Interval Parameter::cell(double value) const {
  if (kind == Kind::choice) return {value, value + 1};
  const double half = grid_step(*this).value_or(0) / 2;
  return log ? Interval{std::log(value - half), std::log(value + half)}
             : Interval{value - half, value + half};
}

double Parameter::value(double place) const {
  const auto values = count();
  const double number = log ? std::exp(place) : place;
  if (!values) return rounded(*this, number);
  const double index =
      kind == Kind::choice ? std::floor(number) : std::round((number - min) / *grid_step(*this));
  return nth(static_cast<std::size_t>(std::clamp(index, 0.0, static_cast<double>(*values - 1))));
}

double Parameter::at_share(double share) const {
  const auto [low, high] = axis();
  return value(low + share * (high - low));
}

std::string Parameter::text(double value) const {
  switch (kind) {
    case Kind::choice: return choices.at(static_cast<std::size_t>(value));
    case Kind::integer: return fmt::format("{:.0f}", value);
    case Kind::real: break;
  }
  return fmt::format("{}", value);
}

std::optional<double> Parameter::parse(const std::string& text) const {
  if (kind == Kind::choice) {
    const auto found = std::ranges::find(choices, text);
    if (found == choices.end()) return std::nullopt;
    return static_cast<double>(found - choices.begin());
  }
  const std::optional<double> number = number_of(text);
  if (!number || !(*number >= min && *number <= max)) return std::nullopt;
  if (!count()) return number;
  const auto index = static_cast<std::size_t>(std::round((*number - min) / *grid_step(*this)));
  return index < *count() && nth(index) == *number ? number : std::nullopt;
}

std::optional<Space::Fault> Space::fault(std::span<const Parameter> parameters) {
  if (parameters.size() > kMostParameters)
    return Fault{kMostParameters, fmt::format("there are more than {} parameters", kMostParameters)};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    std::string what;
    if (!is_name(parameter.name))
      what = "needs another name: letters, digits, '.', '-' and '_', no '-' in front";
    const auto same = [&](const Parameter& other) { return other.name == parameter.name; };
    if (std::any_of(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(i), same))
      what = "appears twice: leave one out";
    if (what.empty())
      what = parameter.kind == Kind::choice ? fault_of_choices(parameter) : fault_of_range(parameter);
    if (!what.empty()) return Fault{i, fmt::format("parameter '{}' {}", parameter.name, what)};
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].when) continue;
    const std::string what = fault_of_condition(parameters, parameters[i]);
    if (!what.empty()) return Fault{i, fmt::format("parameter '{}' {}", parameters[i].name, what)};
  }
  return std::nullopt;
}

Space::Space(std::vector<Parameter> parameters)
    : parameters_(std::move(parameters)), parent_(parameters_.size()), parent_values_(parameters_.size()) {
  if (const auto found = fault(parameters_)) throw Error(ErrorKind::usage, found->what);
  std::vector<int> depth(size(), 0);
  for (std::size_t i = 0; i < size(); ++i) {
    const auto index_of = [&](const std::string& name) {
      return static_cast<std::size_t>(std::ranges::find(parameters_, name, &Parameter::name) -
                                      parameters_.begin());
    };
    if (const auto& when = parameters_[i].when) {
      parent_[i] = index_of(when->parameter);
      for (const std::string& value : when->values)
        parent_values_[i].push_back(*parameters_[*parent_[i]].parse(value));
    }
    for (auto at = i; parameters_[at].when; at = index_of(parameters_[at].when->parameter)) ++depth[i];
    order_.push_back(i);
  }
  std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return depth[i]; });
}

bool Space::exists(std::size_t parameter, const Point& point) const {
  if (!parent_[parameter]) return true;
  const std::optional<double>& value = point[*parent_[parameter]];
  return value && std::ranges::find(parent_values_[parameter], *value) != parent_values_[parameter].end();
}

Point Space::point(const std::function<double(std::size_t)>& value) const {
  Point point(size());
  for (const std::size_t i : order_)
    if (exists(i, point)) point[i] = value(i);
  return point;
}

Texts Space::texts(const Point& point) const {
  Texts texts;
  for (std::size_t i = 0; i < size(); ++i)
    if (point.at(i)) texts.emplace(parameters_[i].name, parameters_[i].text(*point[i]));
  return texts;
}

Point Space::point(const Texts& texts) const {
  const Point made = point([&](std::size_t i) {
    const Parameter& parameter = parameters_[i];
    const auto found = texts.find(parameter.name);
    if (found == texts.end())
      throw Error(ErrorKind::usage, fmt::format("parameter '{}' has no value", parameter.name));
    const auto number = parameter.parse(found->second);
    if (!number)
      throw Error(ErrorKind::usage,
                  fmt::format("parameter '{}' cannot have the value '{}'", parameter.name, found->second));
    return *number;
  });
  const Texts known = this->texts(made);
  for (const auto& [name, text] : texts)
    if (!known.contains(name))
      throw Error(
          ErrorKind::usage,
          fmt::format(
              "parameter '{}' has the value '{}', but the sweep has no parameter of that name at this point",
              name, text));
  return made;
}

}  // namespace batchscope::sweep
