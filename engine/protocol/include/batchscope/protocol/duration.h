// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lengths of time as people write them, in flags, recipes, scripted events and filters alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace batchscope::protocol {

inline constexpr double kLongestDuration = 1e8;  ///< s: three years, more than anything here takes

/// Returns "90", "90s", "500ms", "10m" or "10min", "2h", "3d", "1w" in seconds, of either sign; none for
/// anything else.
std::optional<double> seconds_of(std::string_view text) noexcept;

/// Returns the same, at least 0 and at most kLongestDuration. Throws Error(usage) quoting the text and the
/// form.
double parse_duration(const std::string& text);

}  // namespace batchscope::protocol
