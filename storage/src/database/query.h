// SPDX-License-Identifier: Apache-2.0
//
// A prepared statement in use. Leaving its scope resets it, so that no read outlives its call. NaN is
// NULL to SQLite: it is bound as such, and real() gives NaN back.
#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace batchscope::storage {

// Bytes as a parameter; they must outlive the execution.
struct Blob {
  std::string_view bytes;
};

class Query {
 public:
  explicit Query(SQLite::Statement& statement) : statement_(statement) {}
  ~Query() { statement_.tryReset(); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  bool next() { return statement_.executeStep(); }

  std::string name(int column) const { return statement_.getColumn(column).getName(); }
  int type(int column) const { return statement_.getColumn(column).getType(); }  // SQLITE_INTEGER ..
  bool null(int column) const { return statement_.getColumn(column).isNull(); }
  std::int64_t integer(int column) const { return statement_.getColumn(column).getInt64(); }
  int small_integer(int column) const { return statement_.getColumn(column).getInt(); }
  double real(int column) const {
    const SQLite::Column value = statement_.getColumn(column);
    return value.isNull() ? std::numeric_limits<double>::quiet_NaN() : value.getDouble();
  }
  std::string text(int column) const { return statement_.getColumn(column).getString(); }
  // Valid until next().
  std::string_view blob(int column) const {
    const SQLite::Column value = statement_.getColumn(column);
    const void* bytes = value.getBlob();
    return {static_cast<const char*>(bytes), bytes ? static_cast<std::size_t>(value.getBytes()) : 0};
  }

 private:
  SQLite::Statement& statement_;
};

template <class T>
void bind(SQLite::Statement& statement, int index, const T& value) {
  if constexpr (std::is_integral_v<T>)
    statement.bind(index, static_cast<std::int64_t>(value));
  else if constexpr (std::is_floating_point_v<T>)
    statement.bind(index, static_cast<double>(value));
  else if constexpr (std::is_same_v<T, Blob>)  // no bytes is an empty blob, not NULL
    statement.bindNoCopy(index, value.bytes.empty() ? "" : value.bytes.data(),
                         static_cast<int>(value.bytes.size()));
  else
    statement.bind(index, std::string(value));
}

// The parameters of a statement, one after the other.
class Parameters {
 public:
  explicit Parameters(SQLite::Statement& statement) : statement_(statement) {}

  template <class T>
  void add(const T& value) {
    bind(statement_, ++index_, value);
  }

 private:
  SQLite::Statement& statement_;
  int index_ = 0;
};

}  // namespace batchscope::storage
