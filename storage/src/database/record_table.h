// SPDX-License-Identifier: Apache-2.0
//
// Records as rows: a table's columns are the fields of its record (record_fields.h), but for those that have
// a table of their own, behind a few that are not fields of it.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <type_traits>

#include "batchscope/storage/record_fields.h"
#include "database/checked_row.h"
#include "database/database.h"

namespace batchscope::storage {

template <class Member>
inline constexpr bool kIsColumn = !std::is_same_v<std::remove_cvref_t<Member>, std::map<std::string, double>>;

enum class Columns {
  all,
  written,  // without those that the catalogue gives
};

// Adds a field's column to a list: ", number". A name that is a word of SQL gets another.
inline void add_column(std::string& list, Columns columns, const std::string& name, Meaning meaning) {
  if (columns == Columns::written && meaning == Meaning::key) return;
  const bool is_word_of_sql = name == "from" || name == "to";
  list += ", " + name;
  if (is_word_of_sql) list += "_position";
}

// ", number, replicas, .."
template <class Record>
std::string column_list(Columns columns) {
  std::string list;
  const Record record;
  visit_fields(record, [&](const char* name, const auto& member, Meaning meaning) {
    if constexpr (kIsColumn<decltype(member)>) add_column(list, columns, name, meaning);
  });
  return list;
}

// `begin` is up to the last of the columns that stand before the record's: "INSERT INTO event (run".
template <class Record>
std::string insert_sql(const std::string& begin) {
  const std::string columns = begin + column_list<Record>(Columns::written);
  std::string places = "?";
  for (auto more = std::count(columns.begin(), columns.end(), ','); more > 0; --more) places += ", ?";
  return columns + ") VALUES (" + places + ")";
}

// Add what is written of a field to the parameters.
template <class Member>
void add_field(Parameters& parameters, const Member& member, Meaning) {
  if constexpr (kIsColumn<Member>) parameters.add(member);
}
inline void add_field(Parameters& parameters, std::int64_t member, Meaning meaning) {
  if (meaning != Meaning::key) parameters.add(member);
}
inline void add_field(Parameters& parameters, double member, Meaning meaning) {
  parameters.add(is_time(meaning) ? known_time(member) : member);
}

// Runs what insert_sql made, with `values` for the columns before the record's. The number of rows it added.
template <class Record, class... Values>
int insert(Database& database, std::string_view sql, const Record& record, const Values&... values) {
  return database.execute_with(sql, [&](Parameters& parameters) {
    (parameters.add(values), ...);
    visit_fields(record, [&](const char*, const auto& member, Meaning meaning) {
      add_field(parameters, member, meaning);
    });
  });
}

// A record from its columns, which begin at `column`.
template <class Record>
Record record_in(const CheckedRow& row, int column) {
  Record record;
  visit_fields(record, [&](const char*, auto& member, Meaning meaning) {
    if constexpr (kIsColumn<decltype(member)>) row.get(column++, member, meaning);
  });
  return record;
}

}  // namespace batchscope::storage
