// SPDX-License-Identifier: Apache-2.0
#include "database/checked_row.h"

#include <sqlite3.h>

#include <utility>

namespace batchscope::storage {
namespace {

const char* type_name(int type) {
  switch (type) {
    case SQLITE_INTEGER: return "a whole number";
    case SQLITE_FLOAT: return "a number";
    case SQLITE_TEXT: return "a text";
    case SQLITE_BLOB: return "bytes";
    default: return "nothing";
  }
}

[[noreturn]] void refuse(const Query& row, int column, const std::string& what) {
  throw Error(ErrorKind::corrupt, "the column '" + row.name(column) + "' holds " + what);
}

}  // namespace

std::int64_t CheckedRow::integer(int column) const {
  if (const int type = row_.type(column); type != SQLITE_INTEGER)
    refuse(row_, column, type_name(type) + std::string(" in place of a whole number"));
  return row_.integer(column);
}

int CheckedRow::small_integer(int column) const {
  const std::int64_t value = integer(column);
  if (!std::in_range<int>(value)) refuse(row_, column, std::to_string(value) + ", which is out of range");
  return static_cast<int>(value);
}

double CheckedRow::real(int column) const {
  const int type = row_.type(column);
  if (type == SQLITE_TEXT || type == SQLITE_BLOB)
    refuse(row_, column, type_name(type) + std::string(" in place of a number"));
  return row_.real(column);
}

double CheckedRow::time(int column) const { return known_time(real(column)); }

std::string CheckedRow::text(int column) const {
  if (const int type = row_.type(column); type != SQLITE_TEXT)
    refuse(row_, column, type_name(type) + std::string(" in place of a text"));
  return row_.text(column);
}

}  // namespace batchscope::storage
