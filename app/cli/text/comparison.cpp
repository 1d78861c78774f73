// SPDX-License-Identifier: Apache-2.0
#include "text/comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "text/say.h"

namespace batchscope::cli {
namespace {

// Two characters before one, so that ">=" is not read as ">".
constexpr std::array<std::pair<std::string_view, Comparator>, 6> kComparators{{
    {">=", Comparator::greaterEqual},
    {"<=", Comparator::lessEqual},
    {"==", Comparator::equal},
    {"!=", Comparator::notEqual},
    {">", Comparator::greater},
    {"<", Comparator::less},
}};

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

}  // namespace

Comparison Comparison::parse(std::string_view text) {
  const auto at = text.find_first_of("<>=!");
  if (at == std::string_view::npos) throw std::invalid_argument(say("there is no comparison in it"));
  const std::string_view rest = text.substr(at);
  const auto found = std::find_if(kComparators.begin(), kComparators.end(),
                                  [rest](const auto& row) { return rest.starts_with(row.first); });
  if (found == kComparators.end()) throw std::invalid_argument(say("the comparison is unknown"));
  Comparison comparison{trimmed(text.substr(0, at)), found->second,
                        trimmed(rest.substr(found->first.size()))};
  if (comparison.left.empty()) throw std::invalid_argument(say("the name is missing"));
  if (comparison.right.empty()) throw std::invalid_argument(say("the value is missing"));
  return comparison;
}

std::string Comparison::text() const {
  const auto row = std::find_if(kComparators.begin(), kComparators.end(),
                                [this](const auto& each) { return each.second == op; });
  return fmt::format("{} {} {}", left, row->first, right);
}

}  // namespace batchscope::cli
