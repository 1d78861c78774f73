// SPDX-License-Identifier: Apache-2.0
#include "text/progress_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "text/format.h"

namespace batchscope::cli {
namespace {

constexpr int kNarrowestBar = 8;
constexpr int kWidestBar = 48;
constexpr int kGaps = 4;  // on both sides of a bar

std::string bar(double fraction, int width, const Style& style) {
  const double filled = std::clamp(fraction, 0.0, 1.0) * width;
  const int whole = static_cast<int>(filled);
  const bool half = style.utf8 && whole < width && filled - whole >= 0.5;
  std::string done, rest;
  for (int i = 0; i < whole; ++i) done += style.utf8 ? "━" : "#";
  if (half) done += "╸";
  for (int i = whole + (half ? 1 : 0); i < width; ++i) rest += style.utf8 ? "─" : "-";
  return style.paint(done, Colour::green) + style.paint(rest, Colour::dim);
}

}  // namespace

bool ProgressLine::add(const std::string& text, Colour colour) {
  const std::string separator = text_.empty() ? "" : "  ";
  const int width = displayWidth(separator) + displayWidth(text);
  if (used_ + width > style_.width) return false;
  text_ += separator + style_.paint(text, colour);
  used_ += width;
  return true;
}

std::string formatPercent(double fraction) {
  return fmt::format("{:.0f} %", std::floor(std::clamp(fraction, 0.0, 1.0) * 100));
}

std::string percentColumn(double fraction) { return fmt::format("{:>5}", formatPercent(fraction)); }

bool fitsBar(int labelWidth, int suffixWidth, const Style& style) {
  return style.width - labelWidth - suffixWidth - kGaps >= kNarrowestBar;
}

std::string barLine(const std::string& label, int labelWidth, double fraction, const std::string& suffix,
                    int suffixWidth, const Style& style) {
  const std::string shown =
      label + std::string(static_cast<std::size_t>(labelWidth - displayWidth(label)), ' ');
  if (!fitsBar(labelWidth, suffixWidth, style))
    return cutToWidth(fmt::format("{}  {}", shown, percentColumn(fraction)), style.width);
  const int room = std::min(kWidestBar, style.width - labelWidth - suffixWidth - kGaps);
  return fmt::format("{}  {}  {}", shown, bar(fraction, room, style), suffix);
}

}  // namespace batchscope::cli
