// SPDX-License-Identifier: Apache-2.0
//
// Data of a test, a line a row.
#pragma once

#include <QTest>
#include <array>
#include <initializer_list>

namespace batchscope::testing {

// Adds columns to the data of a test. What comes back adds a row: its name, and a value of each column.
template <class... Values>
auto columns(const std::array<const char*, sizeof...(Values)>& names) {
  auto name = names.begin();
  (QTest::addColumn<Values>(*name++), ...);
  return [](const char* row, const Values&... values) { (QTest::newRow(row) << ... << values); };
}

// One column, and a row of each of these values, which are the rows' names, too.
template <class Value = QString>
void rows(const char* column, std::initializer_list<const char*> values) {
  QTest::addColumn<Value>(column);
  for (const char* value : values) QTest::newRow(value) << Value(value);
}

}  // namespace batchscope::testing
