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

// ", number, replicas, .."
template <class Record>
std::string column_list(Columns columns) {
  std::string list;
  const Record record;
  visit_fields(record, [&](const std::string& name, const auto& member, Meaning meaning) {
    if (!kIsColumn<decltype(member)> || (columns == Columns::written && meaning == Meaning::key)) return;
    const bool is_word_of_sql = name == "from" || name == "to";
    list += ", " + name + (is_word_of_sql ? "_position" : "");
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

// Runs what insert_sql made, with `values` for the columns before the record's. The number of rows it added.
template <class Record, class... Values>
int insert(Database& database, std::string_view sql, const Record& record, const Values&... values) {
  return database.execute_with(sql, [&](auto&& give) {
    (give(values), ...);
    visit_fields(record, [&](const char*, const auto& member, Meaning meaning) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, double>)
        give(is_time(meaning) ? known_time(member) : member);
      else if constexpr (kIsColumn<decltype(member)>)
        if (meaning != Meaning::key) give(member);
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
