// SPDX-License-Identifier: Apache-2.0
//
// Kinds of errors and states of runs by name: others read them, so that they stay what they are.
#include <set>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/run_state.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestKinds : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void errorsHaveNamesAndExitCodes_data() {
    const auto row = testing::columns<ErrorKind, int>({"kind", "code"});
    row("failure", ErrorKind::failure, 1);
    row("usage", ErrorKind::usage, 2);
    row("not_found", ErrorKind::not_found, 3);
    row("conflict", ErrorKind::conflict, 4);
    row("corrupt", ErrorKind::corrupt, 7);
    row("version", ErrorKind::version, 7);
    row("timeout", ErrorKind::timeout, 6);
    row("io", ErrorKind::io, 1);
  }
  void errorsHaveNamesAndExitCodes() {
    QFETCH(const ErrorKind, kind);
    QCOMPARE(std::string(error_kind_name(kind)), std::string(QTest::currentDataTag()));
    QCOMPARE(parse_error_kind(QTest::currentDataTag()), kind);
    QTEST(exit_code(kind), "code");
  }
  void anUnknownErrorIsAFailure() { QCOMPARE(parse_error_kind("surprise"), ErrorKind::failure); }

  void statesAreReadAsTheyAreWritten() {
    const std::set<std::string> active{"starting", "running", "restarting", "pausing", "paused", "stopping"},
        resumable{"paused", "stopped", "failed", "interrupted"};
    for (const std::string name : {"pending", "starting", "running", "restarting", "pausing", "paused",
                                   "stopping", "stopped", "finished", "failed", "interrupted", "damaged"}) {
      const RunState state = parse_run_state(name);
      QCOMPARE(std::string(run_state_name(state)), name);
      QCOMPARE(is_active(state), active.contains(name));
      QCOMPARE(is_resumable(state), resumable.contains(name));
    }
    VERIFY_THROWS("corrupt", "unknown run state \"asleep\"", parse_run_state("asleep"));
  }
};

BATCHSCOPE_TEST(TestKinds)
#include "test_kinds.moc"
