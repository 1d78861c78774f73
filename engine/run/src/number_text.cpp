// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/number_text.h"

#include <fmt/format.h>
#include <array>
#include <cmath>
#include <cstdint>

namespace batchscope::run {
namespace {

constexpr int kDigits = 4;
constexpr int kLeastPower = -4, kMostPower = 9;  // beyond these, powers of ten are written

std::string superscript(int number) {
  static constexpr std::array kDigitTexts{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(number))
    text += c == '-' ? "⁻" : kDigitTexts[static_cast<std::size_t>(c - '0')];
  return text;
}

// Returns the power of ten of |value|, rounded to the digits that are written: 99,999.9 is 10⁵.
int power_of(double value) {
  const std::string text = fmt::format("{:.{}e}", value, kDigits - 1);
  return std::stoi(text.substr(text.find('e') + 1));
}

}  // namespace

std::string number_text(double value) {
  if (!std::isfinite(value) || value == 0) return fmt::format("{}", value == 0 ? 0 : value);
  const int power = power_of(value);
  if (power < kLeastPower || power > kMostPower)
    return fmt::format("{:.{}g} × 10{}", value / std::pow(10, power), kDigits, superscript(power));
  if (power < kDigits - 1) return fmt::format("{:.{}g}", value, kDigits);
  const double unit = std::pow(10, power - kDigits + 1);
  const std::int64_t whole = std::llround(std::abs(std::round(value / unit) * unit));
  return (value < 0 ? "-" : "") + fmt::format("{}", fmt::group_digits(whole));
}

std::string range_text(double value, double error) {
  if (!(error > 0) || !std::isfinite(value)) return number_text(value);
  return fmt::format("{} ({} to {})", number_text(value), number_text(value / (1 + error)),
                     number_text(value * (1 + error)));
}

std::string change_text(double share) {
  const double percent = std::round(100 * share);
  return percent == 0 ? "0 %" : fmt::format("{}{:.0f} %", percent > 0 ? "+" : "−", std::abs(percent));
}

}  // namespace batchscope::run
