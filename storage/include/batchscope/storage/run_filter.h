// SPDX-License-Identifier: Apache-2.0
/// \file
/// Filters on runs, as `batchscope ls --where` and the window's search take them:
///
///     accuracy>0.97 and replicas=2 and (tag=paper or name~digits)
///
///     expression  = conjunction { "or" conjunction }
///     conjunction = negation { "and" negation }
///     negation    = { "not" } ( "(" expression ")" | FIELD OP VALUE )
///     OP          = "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~"
///
/// `~` holds where a text contains the value as written, without wildcards and regardless of case in a-z;
/// `!~` where it does not. For tags, any tag may contain it. A number contains nothing.
///
/// Fields are those of run_field.h. Values are numbers (0.97, 97%, 1e-3, nan, inf), durations (90s, 10m, 2h,
/// 3d), times (2026-05-03, 2026-05-03T14:07), states, or texts, in quotes where they hold blanks or
/// operators; a field's name may be quoted too. A comparison of a value that the run does not have is false,
/// but true with != and !~. For NaN only = and != with nan hold.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/run_field.h"

namespace batchscope::storage {

/// A fault of a filter's text and where it is. what() quotes the text with a caret under the place, in three
/// lines.
class FilterError : public Error {
 public:
  /// Column and length in bytes of the text.
  FilterError(std::string_view text, std::size_t column, std::size_t length, const std::string& reason);

  std::size_t column() const noexcept { return column_; }         ///< where the fault begins, bytes from 0
  std::size_t length() const noexcept { return length_; }         ///< of what is wrong, 1 at the least
  const std::string& reason() const noexcept { return reason_; }  ///< one line, without the quotation

 private:
  std::size_t column_;
  std::size_t length_;
  std::string reason_;
};

/// A filter that was understood. Copies are independent.
class RunFilter {
 public:
  /// The longest text and the deepest nesting of parentheses that parse takes.
  ///@{
  static constexpr std::size_t kLongestText = 4096;
  static constexpr int kDeepestNesting = 64;
  ///@}

  /// Parses any bytes, in linear time; throws FilterError (kind usage) for what is not a filter, and nothing
  /// else. A blank text is the filter that every run passes. Pure.
  static RunFilter parse(std::string_view text);

  /// Throws FilterError where a field is not one of the names, with the nearest one suggested. Names that
  /// begin with "series:" or "param:" are not checked.
  void check_fields(const std::vector<std::string>& names) const;

  /// Returns whether any of its comparisons is about this field.
  bool mentions(std::string_view field) const noexcept;

  /// Returns whether the run passes; `now` as in field_value.
  bool matches(const Run& run, double now) const;

 private:
  friend class RunFilterParser;

  enum class Operator { equal, not_equal, less, less_equal, greater, greater_equal, contains, lacks };

  struct Comparison {
    std::string field;
    FieldType type = FieldType::open;
    Operator op = Operator::equal;
    std::string text;   // the value as written, without quotes
    double number = 0;  // where is_number
    bool is_number = false;
    std::size_t column = 0;  // of the field
    std::size_t length = 0;
  };

  // Steps in postfix order: a comparison pushes what it says, the others take theirs from the stack.
  enum class Act { compare, both, either, negate };
  struct Step {
    Act act = Act::compare;
    std::size_t comparison = 0;
  };

  static bool holds(const Comparison& comparison, const Run& run, double now);

  std::string text_;
  std::vector<Comparison> comparisons_;
  std::vector<Step> steps_;
};

}  // namespace batchscope::storage
