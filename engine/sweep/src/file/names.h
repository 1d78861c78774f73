// SPDX-License-Identifier: Apache-2.0
//
// The words of a sweep file, for its reader and its writer.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "batchscope/sweep/sweep_file.h"

namespace batchscope::sweep {

template <typename Value, std::size_t count>
using Names = std::array<std::pair<std::string_view, Value>, count>;

inline constexpr Names<Goal, 2> kGoals{{{"min", Goal::min}, {"max", Goal::max}}};
inline constexpr Names<Method, 4> kMethods{
    {{"grid", Method::grid}, {"random", Method::random}, {"sobol", Method::sobol}, {"tpe", Method::tpe}}};
inline constexpr Names<StopRule::Kind, 4> kStopKinds{{{"none", StopRule::Kind::none},
                                                      {"median", StopRule::Kind::median},
                                                      {"asha", StopRule::Kind::asha},
                                                      {"pbt", StopRule::Kind::pbt}}};
inline constexpr Names<StopRule::Unit, 2> kStopUnits{
    {{"iterations", StopRule::Unit::iterations}, {"steps", StopRule::Unit::steps}}};
inline constexpr Names<bool, 2> kScales{{{"linear", false}, {"log", true}}};  // whether it is logarithmic

template <typename Value, std::size_t count>
std::optional<Value> value_of(const Names<Value, count>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name, &std::pair<std::string_view, Value>::first);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

template <typename Value, std::size_t count>
std::string_view name_of(const Names<Value, count>& names, Value value) {
  return std::ranges::find(names, value, &std::pair<std::string_view, Value>::second)->first;
}

// "min, max"
template <typename Value, std::size_t count>
std::string list(const Names<Value, count>& names) {
  std::string text;
  for (const auto& [name, value] : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

}  // namespace batchscope::sweep
