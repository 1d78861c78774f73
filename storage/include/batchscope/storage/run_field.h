// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of a run by name: what a filter compares, a list sorts by and a column shows. Some are fixed
/// ("name", "state", "age", ..); every other name is that of a series, with its newest value, else of a
/// hyperparameter. "series:lr" and "param:lr" say which of the two is meant. Pure; needs no store.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "batchscope/storage/catalogue.h"

namespace batchscope::storage {

/// How a field compares, and in what unit its number is.
enum class FieldType {
  text,      ///< by its characters
  number,    ///< without a unit, or a fraction of 1
  duration,  ///< s
  time,      ///< s since 1970
  state,     ///< as shown_state() names it
  tags,      ///< any of them; as a value their list
  open,      ///< a series' number or a hyperparameter's text
};

/// The value of a field; nothing where the run has no such value (yet).
using FieldValue = std::variant<std::monostate, double, std::string>;

/// A state of a trial's run that RunState does not have.
inline constexpr char kDiverged[] = "diverged";
/// Returns the name of its state as people see it: kDiverged where divergence ended its trial.
std::string shown_state(const Run& run);

/// Returns FieldType::open for every name that is not fixed.
FieldType field_type(std::string_view name) noexcept;

/// Returns the value of a field. `now`, in s since 1970, is the end of "age" and of the "duration" of a run
/// that goes on.
FieldValue field_value(const Run& run, std::string_view name, double now);

/// Returns the fixed names, those of series that every run has (protocol/series.h), and the other names of
/// these runs; sorted, each once.
std::vector<std::string> field_names(std::span<const Run> runs);

/// Returns the number that a value is, or that is its whole text; NaN where there is none.
double number_of(const FieldValue& value) noexcept;

/// Compares, as a strict weak order for sorting: numbers (and texts that are numbers) by size, then texts,
/// then NaN, then nothing.
bool field_less(const FieldValue& a, const FieldValue& b);

/// Returns whether `a` stands above `b` in a list: by field_less, or the other way round where the list is
/// descending; NaN and nothing come last in either direction.
bool field_before(const FieldValue& a, const FieldValue& b, bool descending);

}  // namespace batchscope::storage
