// SPDX-License-Identifier: Apache-2.0
//
// Values of a row of the catalogue. SQLite turns what is asked for into any type, a text into 0: here a value
// of another type than its column's, or one that does not fit, is an Error(corrupt) that names the column.
#pragma once

#include <string>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/record_fields.h"
#include "database/query.h"

namespace batchscope::storage {

class CheckedRow {
 public:
  explicit CheckedRow(const Query& row) : row_(row) {}

  std::int64_t integer(int column) const;
  int small_integer(int column) const;
  double real(int column) const;  // NULL is NaN
  double time(int column) const;  // s since 1970; 0, unknown, for a number that is not a time
  std::string text(int column) const;

  // Read a column as the member's type and meaning demand.
  void get(int column, std::int64_t& member, Meaning) const { member = integer(column); }
  void get(int column, int& member, Meaning) const { member = small_integer(column); }
  void get(int column, bool& member, Meaning) const { member = integer(column) != 0; }
  void get(int column, std::string& member, Meaning) const { member = text(column); }
  void get(int column, double& member, Meaning meaning) const {
    member = is_time(meaning) ? time(column) : real(column);
  }

 private:
  const Query& row_;
};

// Adds a row to a list that runs or sweeps share, by `add`. One that cannot be read is left out, for it would
// bar all others; whoever asks for its own run or sweep is told.
template <class Add>
void add_if_sound(Add&& add) {
  try {
    add();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
  }
}

}  // namespace batchscope::storage
