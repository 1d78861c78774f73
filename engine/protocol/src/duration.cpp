// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/duration.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {

std::optional<double> seconds_of(std::string_view text) noexcept {
  static constexpr std::array<std::pair<std::string_view, double>, 8> kUnits{
      {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}}};
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  for (const auto& [unit, seconds] : kUnits)
    if (text == unit) return number * seconds;
  return std::nullopt;
}

double parse_duration(const std::string& text) {
  const double seconds = seconds_of(text).value_or(-1);
  if (!(seconds >= 0) || std::isinf(seconds))
    throw Error(ErrorKind::usage, "'" + text + "' is not a duration: use 90, 90s, 10m, 2h or 3d");
  if (seconds > kLongestDuration)
    throw Error(ErrorKind::usage, fmt::format("'{}' is too long: a duration has at most {}d", text,
                                              static_cast<int>(kLongestDuration / 86400)));
  return seconds;
}

}  // namespace batchscope::protocol
