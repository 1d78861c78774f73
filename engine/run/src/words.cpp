// SPDX-License-Identifier: Apache-2.0
#include "words.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace batchscope::run {

std::string replica_count_text(int count) {
  return fmt::format("{} {}", count, count == 1 ? "replica" : "replicas");
}

std::string seconds_text(double seconds) {
  return seconds < 10 ? fmt::format("{:.2g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string bytes_text(std::int64_t bytes) {
  const double megabytes = static_cast<double>(bytes) / 1e6;
  if (megabytes >= 1000) return fmt::format("{:.1f} GB", megabytes / 1000);
  return megabytes < 10 ? fmt::format("{:.1f} MB", megabytes) : fmt::format("{:.0f} MB", megabytes);
}

std::string rate_text(double rate) {
  if (!std::isfinite(rate)) return "unknown";
  if (std::abs(rate) < 100) return fmt::format("{:.3g}", rate);
  const double unit = std::max(1.0, std::pow(10, std::floor(std::log10(std::abs(rate))) - 3));
  std::string text = fmt::format("{:.0f}", std::round(rate / unit) * unit);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string change_text(double share) {
  const double percent = std::round(100 * share);
  return percent == 0 ? "0 %" : fmt::format("{}{:.0f} %", percent > 0 ? "+" : "−", std::abs(percent));
}

}  // namespace batchscope::run
