// SPDX-License-Identifier: Apache-2.0
#include "text/format.h"

#include <fmt/format.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <cwchar>
#include <limits>

#include "batchscope/common/series_unit.h"
#include "batchscope/common/translate.h"
#include "batchscope/run/number_text.h"
#include "batchscope/storage/record_fields.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

// Calls `visit` with the bytes and the terminal's columns of each character, until it returns false. A
// character that the C library does not know has one column. QCoreApplication makes the C library read UTF-8
// in any environment.
template <class Visit>
void forEachCharacter(std::string_view utf8, Visit visit) {
  std::mbstate_t state{};
  for (std::size_t bytes = 0; !utf8.empty(); utf8.remove_prefix(bytes)) {
    wchar_t character = 0;
    bytes = std::mbrtowc(&character, utf8.data(), utf8.size(), &state);
    int columns = wcwidth(character);
    if (bytes == 0 || bytes > utf8.size()) {
      bytes = 1;
      columns = -1;
      state = {};
    }
    if (!visit(bytes, columns < 0 ? 1 : columns)) return;
  }
}

constexpr double kMostSeconds = 1e15;  // that are told as hours; a series may hold any number

std::int64_t wholeSeconds(double seconds) {
  return static_cast<std::int64_t>(std::min(std::max(0.0, seconds), kMostSeconds));
}

// 16,400, as in the window.
std::string grouped(double value) {
  if (!(std::abs(value) < 1e15)) return run::number_text(value);
  const std::int64_t whole = std::llround(value);
  return (whole < 0 ? "-" : "") + fmt::format("{}", fmt::group_digits(std::abs(whole)));
}

}  // namespace

std::string formatClock(double seconds) {
  const std::int64_t total = wholeSeconds(seconds);
  const auto hours = total / 3600, minutes = total / 60 % 60, rest = total % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, rest)
                   : fmt::format("{}:{:02}", minutes, rest);
}

std::string formatDuration(double seconds) {
  if (!(std::abs(seconds) < kMostSeconds)) return "unknown";
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 60) return fmt::format("{:.3g} s", seconds);
  const std::int64_t total = wholeSeconds(seconds);
  if (total < 3600) return fmt::format("{} min {} s", total / 60, total % 60);
  return fmt::format("{} h {} min", total / 3600, total / 60 % 60);
}

std::string formatAge(double seconds) {
  if (seconds < 10) return say("just now");
  if (seconds < 60) return say("{:.0f} s ago", std::floor(seconds));
  if (seconds < 3600) return say("{:.0f} min ago", std::floor(seconds / 60));
  if (seconds < 86400) return say("{:.0f} h ago", std::floor(seconds / 3600));
  return say("{:.0f} d ago", std::floor(seconds / 86400));
}

std::string formatTime(double wallSeconds) {
  if (!(storage::known_time(wallSeconds) > 0)) return say("unknown");
  const auto seconds = static_cast<std::time_t>(wallSeconds);
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
  return text.data();
}

std::string formatBytes(double bytes) {
  static constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

std::string plural(std::int64_t count, std::string_view noun) {
  const std::string english = fmt::format("{{}} {}(s)", noun);
  const int number = static_cast<int>(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
  const std::string said = tr(english.c_str(), number).toStdString();
  if (said == english) return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
  return fmt::vformat(said, fmt::make_format_args(count));
}

std::string formatSeriesValue(std::string_view name, double value) {
  using common::SeriesKind;
  if (!std::isfinite(value)) return fmt::format("{}", value);
  switch (common::kindOf(name)) {
    case SeriesKind::time: return formatTime(value);
    case SeriesKind::fraction: return fmt::format("{:.2f} %", value * 100);
    case SeriesKind::whole: return grouped(value);
    case SeriesKind::rate: return run::number_text(value) + " samples/s";
    case SeriesKind::duration: return formatDuration(value);
    case SeriesKind::count:
    case SeriesKind::number: break;
  }
  return run::number_text(value);
}

int displayWidth(std::string_view utf8) {
  int width = 0;
  forEachCharacter(utf8, [&](std::size_t, int columns) {
    width += columns;
    return true;
  });
  return width;
}

std::string cutToWidth(std::string_view utf8, int width) {
  std::size_t end = 0;
  forEachCharacter(utf8, [&](std::size_t bytes, int columns) {
    width -= columns;
    if (width >= 0) end += bytes;
    return width >= 0;
  });
  return std::string(utf8.substr(0, end));
}

}  // namespace batchscope::cli
