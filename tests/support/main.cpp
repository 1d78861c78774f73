// SPDX-License-Identifier: Apache-2.0
//
// Runs the test that the first argument names, with an application of the kind that the tests are linked
// with.
#include <cstdio>

#include "test_case.h"
#ifdef QT_WIDGETS_LIB
#include <QApplication>
#else
#include <QCoreApplication>
#endif

int main(int count, char** arguments) {
  const auto& tests = batchscope::test_program::tests();
  const auto test = tests.find(std::string_view(count > 1 ? arguments[1] : ""));
  if (test == tests.end()) {
    std::fprintf(stderr, "usage: %s TEST [Qt Test's arguments]; the tests are:", arguments[0]);
    for (const auto& [name, run] : tests) std::fprintf(stderr, " %s", name.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
#ifdef QT_WIDGETS_LIB
  const QApplication application(count, arguments);
#else
  const QCoreApplication application(count, arguments);
#endif
  arguments[1] = arguments[0];
  return test->second(count - 1, arguments + 1);
}
