// SPDX-License-Identifier: Apache-2.0
//
// One program holds all tests of a folder, because each program costs a link and a reading of all headers;
// each test still runs by its name, in a process of its own: `storage_tests sql [Qt Test's arguments]` runs
// the class of test_sql.cpp.
#pragma once

#include <QTest>
#include <map>
#include <string>
#include <string_view>

namespace batchscope::test_program {

using RunTest = int (*)(int count, char** arguments);

inline std::map<std::string, RunTest, std::less<>>& tests() {
  static std::map<std::string, RunTest, std::less<>> tests;
  return tests;
}

// "test_sql.cpp" is the test "sql".
inline bool add_test(std::string_view file, RunTest run) {
  constexpr std::string_view kPrefix = "test_", kSuffix = ".cpp";
  file.remove_prefix(kPrefix.size());
  file.remove_suffix(kSuffix.size());
  return tests().emplace(file, run).second;
}

// Specialized for each test class: the value's initialization adds the test.
template <class Test>
inline const bool is_added = false;

}  // namespace batchscope::test_program

#define BATCHSCOPE_TEST(Class)                                                            \
  template <>                                                                             \
  const bool batchscope::test_program::is_added<Class> =                                  \
      batchscope::test_program::add_test(__FILE_NAME__, [](int count, char** arguments) { \
        Class test;                                                                       \
        return QTest::qExec(&test, count, arguments);                                     \
      });
