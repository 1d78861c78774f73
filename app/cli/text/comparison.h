// SPDX-License-Identifier: Apache-2.0
//
// A claim "LEFT OP RIGHT", with OP one of >= <= > < == != and optional spaces.
#pragma once

#include <string>
#include <string_view>

namespace batchscope::cli {

enum class Comparator { greaterEqual, lessEqual, greater, less, equal, notEqual };

struct Comparison {
  std::string left;
  Comparator op = Comparator::equal;
  std::string right;

  // Parses a claim. Throws std::invalid_argument saying what is missing.
  static Comparison parse(std::string_view text);
  std::string text() const;
};

template <typename Value>
bool holds(const Value& left, Comparator op, const Value& right) {
  switch (op) {
    case Comparator::greaterEqual: return left >= right;
    case Comparator::lessEqual: return left <= right;
    case Comparator::greater: return left > right;
    case Comparator::less: return left < right;
    case Comparator::equal: return left == right;
    case Comparator::notEqual: return left != right;
  }
  return false;
}

}  // namespace batchscope::cli
