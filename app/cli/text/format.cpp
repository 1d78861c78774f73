// SPDX-License-Identifier: Apache-2.0
#include "text/format.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <ctime>

#include "batchscope/common/series_unit.h"

namespace batchscope::cli {
namespace {

bool isContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace

std::string formatClock(double seconds) {
  const auto total = static_cast<std::int64_t>(std::max(0.0, seconds));
  const auto hours = total / 3600, minutes = total / 60 % 60, rest = total % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, rest)
                   : fmt::format("{}:{:02}", minutes, rest);
}

std::string formatDuration(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 60) return fmt::format("{:.3g} s", seconds);
  const auto total = static_cast<std::int64_t>(seconds);
  if (total < 3600) return fmt::format("{} min {} s", total / 60, total % 60);
  return fmt::format("{} h {} min", total / 3600, total / 60 % 60);
}

std::string formatAge(double seconds) {
  if (seconds < 10) return "just now";
  if (seconds < 60) return fmt::format("{:.0f} s ago", std::floor(seconds));
  if (seconds < 3600) return fmt::format("{:.0f} min ago", std::floor(seconds / 60));
  if (seconds < 86400) return fmt::format("{:.0f} h ago", std::floor(seconds / 3600));
  return fmt::format("{:.0f} d ago", std::floor(seconds / 86400));
}

std::string formatTime(double wallSeconds) {
  const auto seconds = static_cast<std::time_t>(wallSeconds);
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
  return text.data();
}

std::string formatBytes(std::int64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, kUnits[unit]);
}

std::string formatCount(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (std::abs(value) < 10000) return fmt::format("{:.4g}", value);
  if (std::abs(value) < 1e6) return fmt::format("{:.3g}k", value / 1e3);
  if (std::abs(value) < 1e9) return fmt::format("{:.3g}M", value / 1e6);
  return fmt::format("{:.3g}G", value / 1e9);
}

std::string plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string formatSeriesValue(std::string_view name, double value) {
  using common::SeriesKind;
  if (!std::isfinite(value)) return fmt::format("{}", value);
  switch (common::kindOf(name)) {
    case SeriesKind::time: return formatTime(value);
    case SeriesKind::fraction: return fmt::format("{:.2f} %", value * 100);
    case SeriesKind::whole: return fmt::format("{:.0f}", value);
    case SeriesKind::rate: return formatCount(value) + " samples/s";
    case SeriesKind::duration: return formatDuration(value);
    case SeriesKind::count: return formatCount(value);
    case SeriesKind::number: break;
  }
  return fmt::format("{:.4g}", value);
}

int displayWidth(std::string_view utf8) {
  int width = 0;
  for (const char byte : utf8) width += isContinuation(byte) ? 0 : 1;
  return width;
}

std::string cutToWidth(std::string_view utf8, int width) {
  std::size_t end = 0;
  for (int columns = 0; end < utf8.size(); ++end)
    if (!isContinuation(utf8[end]) && ++columns > width) break;
  return std::string(utf8.substr(0, end));
}

}  // namespace batchscope::cli
