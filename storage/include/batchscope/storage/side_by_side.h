// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs side by side: a table with a row for each thing and a column for each run, in four sections. The code
/// that prints the values decides what is a difference: numbers that read alike are alike.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "batchscope/storage/catalogue.h"

namespace batchscope::storage {

/// The value of one run in a row: nothing, a number with its unit (s for "duration"), a count, a text, a
/// generation.
using SideBySideValue = std::variant<std::monostate, double, std::int64_t, std::string, Generation>;

/// A row.
struct SideBySideRow {
  std::string name;                     ///< of the thing
  std::vector<SideBySideValue> values;  ///< a run each, in their order
};

/// Rows of one kind.
struct SideBySideSection {
  /// How the run was made and how far it came; what it was made with; its restarts; newest values of series.
  enum class Kind { run, hyperparameters, generations, latest };
  Kind kind = Kind::run;  ///< one of each
  std::vector<SideBySideRow>
      rows;  ///< by name, but in a fixed order those of the run; generations "#0", "#1"
};

/// Makes the table. `generations` has a list for each run; `now`, in s since 1970, is the end of the duration
/// of a run that goes on. Pure.
std::vector<SideBySideSection> side_by_side(std::span<const Run> runs,
                                            std::span<const std::vector<Generation>> generations, double now);

}  // namespace batchscope::storage
