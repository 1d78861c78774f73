// SPDX-License-Identifier: Apache-2.0
//
// Judging runs by a filter, and saying where a filter is wrong.
#include "batchscope/storage/run_filter.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "batchscope/protocol/suggestion.h"

namespace batchscope::storage {
namespace {

constexpr std::size_t kQuotedAround = 60;  // bytes of the text shown on either side of a fault

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

std::size_t columns(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return !is_continuation(c); }));
}

// The line with the fault and the line with the caret. Control characters are blanks: they must not drive a
// terminal, and a tab would move the caret away.
std::string quotation(std::string_view text, std::size_t column, std::size_t length) {
  std::size_t begin = column > kQuotedAround ? column - kQuotedAround : 0;
  while (begin > 0 && is_continuation(text[begin])) --begin;
  std::size_t end = std::min(text.size(), column + std::max(length, kQuotedAround));
  end = std::min(end, begin + 2 * kQuotedAround);
  while (end < text.size() && is_continuation(text[end])) ++end;
  std::string line(text.substr(begin, end - begin));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  const std::string lead = begin > 0 ? "..." : "", rest = end < text.size() ? "..." : "";
  const std::size_t marked = std::min(column + length, end);
  const std::size_t width = marked > column ? columns(text.substr(column, marked - column)) : 1;
  return "  " + lead + line + rest + "\n  " +
         std::string(lead.size() + columns(text.substr(begin, column - begin)), ' ') + '^' +
         std::string(width > 1 ? width - 1 : 0, '~');
}

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool contains(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same_letter) != text.end();
}

}  // namespace

FilterError::FilterError(std::string_view text, std::size_t column, std::size_t length,
                         const std::string& reason)
    : Error(ErrorKind::usage,
            fmt::format("the filter is wrong at column {}: {}\n{}", columns(text.substr(0, column)) + 1,
                        reason, quotation(text, column, length))),
      column_(column),
      length_(std::max<std::size_t>(length, 1)),
      reason_(reason) {}

void RunFilter::check_fields(const std::vector<std::string>& names) const {
  for (const Comparison& comparison : comparisons_) {
    const std::string& field = comparison.field;
    if (comparison.type != FieldType::open || field.starts_with("series:") || field.starts_with("param:"))
      continue;
    if (std::find(names.begin(), names.end(), field) == names.end())
      throw FilterError(text_, comparison.column, comparison.length,
                        "no run has a field of this name" + protocol::did_you_mean(field, names));
  }
}

bool RunFilter::mentions(std::string_view field) const noexcept {
  return std::ranges::find(comparisons_, field, &Comparison::field) != comparisons_.end();
}

bool RunFilter::matches(const Run& run, double now) const {
  std::vector<char> stack;
  const auto pop = [&stack] {
    const bool top = stack.back() != 0;
    stack.pop_back();
    return top;
  };
  for (const Step& step : steps_) switch (step.act) {
      case Act::compare: stack.push_back(holds(comparisons_[step.comparison], run, now)); break;
      case Act::negate: stack.push_back(!pop()); break;
      case Act::both: {
        const bool right = pop(), left = pop();
        stack.push_back(left && right);
        break;
      }
      case Act::either: {
        const bool right = pop(), left = pop();
        stack.push_back(left || right);
        break;
      }
    }
  return stack.empty() || stack.back() != 0;
}

bool RunFilter::holds(const Comparison& comparison, const Run& run, double now) {
  const auto ordered = [&](const auto& left, const auto& right) {
    switch (comparison.op) {
      case Operator::equal: return left == right;
      case Operator::not_equal: return left != right;
      case Operator::less: return left < right;
      case Operator::less_equal: return left <= right;
      case Operator::greater: return left > right;
      default: return left >= right;  // greater_equal: the others search
    }
  };
  const bool negative = comparison.op == Operator::not_equal || comparison.op == Operator::lacks;
  if (comparison.type == FieldType::tags) {
    const bool whole = comparison.op == Operator::equal || comparison.op == Operator::not_equal;
    const bool any = std::any_of(run.tags.begin(), run.tags.end(), [&](const std::string& tag) {
      return whole ? tag == comparison.text : contains(tag, comparison.text);
    });
    return any != negative;
  }

  const FieldValue value = field_value(run, comparison.field, now);
  if (std::holds_alternative<std::monostate>(value)) return negative;
  const std::string* text = std::get_if<std::string>(&value);
  if (comparison.op == Operator::contains || comparison.op == Operator::lacks)
    return (text != nullptr && contains(*text, comparison.text)) != negative;
  if (!comparison.is_number) return text != nullptr ? ordered(*text, comparison.text) : negative;

  const double number = number_of(value);
  if (text != nullptr && std::isnan(number)) return ordered(*text, comparison.text);
  if (std::isnan(comparison.number))
    return comparison.op == Operator::equal ? std::isnan(number) : negative && !std::isnan(number);
  return !std::isnan(number) && ordered(number, comparison.number);
}

}  // namespace batchscope::storage
