// SPDX-License-Identifier: Apache-2.0
//
// Numbers as other programs write them.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace batchscope::cli {

// "0.25", "+1e-3", "nan", "NaN", "-Infinity"; nullopt for a text that holds anything else.
inline std::optional<double> numberIn(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (stop != end || text.empty() || fault == std::errc::invalid_argument) return std::nullopt;
  if (fault == std::errc::result_out_of_range) return std::nullopt;
  return value;
}

}  // namespace batchscope::cli
