// SPDX-License-Identifier: Apache-2.0
//
// How a generation is said to have ended, and who is blamed.
#include "state/outcome.h"

#include "batchscope/protocol/error.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;

class TestOutcome : public QObject {
  Q_OBJECT

  static Exit because(int rank, Cause cause) { return {rank, 1, 0, false, cause}; }
  static Exit coded(int rank, int code) { return {rank, code, 0}; }
  static Exit ended_by(int rank, int signal) { return {rank, 0, signal}; }
  static Exit killed(int rank) { return {rank, 0, 9, true}; }
  static std::string judged(const std::vector<Exit>& exits) { return judge(exits).text(); }

 private Q_SLOTS:
  void onlyExitsOfAProgramsOwnAreClean() {
    QVERIFY(coded(0, kExitOk).clean() && coded(0, kExitCheckpointed).clean());
    for (const int other : {1, 2, 142, 144}) QVERIFY(!coded(0, other).clean());
    QVERIFY(!ended_by(0, 15).clean());
  }

  void oneCheckpointedReplicaMakesTheRunStopped() {
    QCOMPARE(judged({}), "finished");
    QCOMPARE(judged({coded(0, 0), coded(1, 0)}), "finished");
    QCOMPARE(judged({coded(0, 143), coded(1, 0)}), "checkpointed");
    QCOMPARE(judged({coded(0, 0), coded(1, 143)}), "checkpointed");
    QCOMPARE(judged({coded(0, 0), coded(1, 3)}), "crashed: rank 1, exit code 3");
    QCOMPARE(judged({coded(0, 3), coded(1, 143)}), "crashed: rank 0, exit code 3");
  }

  // SIGTERM is how a program is asked to stop; one that knows no checkpoints just ends.
  void whoEndsBecauseItWasAskedHasNotCrashed() {
    const auto asked = [](const std::vector<Exit>& exits) { return judge(exits, true).text(); };
    QCOMPARE(asked({ended_by(0, 15)}), "ended without a checkpoint");
    QCOMPARE(asked({ended_by(0, 15), coded(1, 143)}), "ended without a checkpoint");
    QCOMPARE(asked({coded(0, 143), ended_by(1, 15)}), "ended without a checkpoint");
    QCOMPARE(asked({ended_by(0, 15), coded(1, 3)}), "crashed: rank 1, exit code 3");
    QCOMPARE(asked({coded(1, 3), ended_by(0, 15)}), "crashed: rank 1, exit code 3");
    QCOMPARE(asked({ended_by(0, 11)}), "crashed: rank 0, signal 11");
    QCOMPARE(judged({ended_by(0, 15)}), "crashed: rank 0, signal 15");
  }

  // Each is blamed before all that follow it, whoever ended first.
  void theHeaviestCauseIsBlamed() {
    const std::vector<std::pair<Exit, const char*>> heaviest_first{
        {because(0, Cause::node), "crashed: rank 0, node lost"},
        {because(0, Cause::memory), "crashed: rank 0, out of memory"},
        {coded(0, 7), "crashed: rank 0, exit code 7"},
        {because(0, Cause::hang), "crashed: rank 0, hang"},
        {because(0, Cause::peer), "crashed: rank 0, exit code 1"},
        {killed(0), "crashed: rank 0, signal 9"}};
    for (std::size_t heavy = 0; heavy < heaviest_first.size(); ++heavy)
      for (std::size_t light = heavy + 1; light < heaviest_first.size(); ++light) {
        const auto& [culprit, text] = heaviest_first[heavy];
        Exit other = heaviest_first[light].first;
        other.rank = 1;
        QCOMPARE(judged({culprit, other}), text);
        QCOMPARE(judged({other, culprit}), text);
      }
  }

  void ofEqualsTheFirstIsBlamed() {
    QCOMPARE(judged({ended_by(1, 11), ended_by(0, 6)}), "crashed: rank 1, signal 11");
    QCOMPARE(judged({ended_by(1, 11), because(0, Cause::exception)}), "crashed: rank 1, signal 11");
    QCOMPARE(judged({because(1, Cause::exception), ended_by(0, 11)}), "crashed: rank 1, exit code 1");
    QCOMPARE(judged({coded(1, 2), coded(0, 3)}), "crashed: rank 1, exit code 2");
  }

  // Killed with the rest, after it had said why it fails.
  void whoToldOfItsFailureIsBlamedThoughItWasKilled() {
    Exit told = killed(1);
    told.cause = Cause::exception;
    QCOMPARE(judged({coded(0, 5), told}), "crashed: rank 1, signal 9");
  }

  void aGradientThatIsNotFiniteIsNobodysFault() {
    QCOMPARE(judged({because(1, Cause::non_finite)}), "crashed: gradient not finite");
  }

  void exitsAreDescribed() {
    QCOMPARE(describe(coded(2, 3)), "rank 2 ended with exit code 3");
    QCOMPARE(describe({2, 3, 0, false, Cause::exception, "ValueError: a"}),
             "rank 2 ended with exit code 3: ValueError: a");
    QCOMPARE(describe(ended_by(1, 11)), "rank 1 was killed by signal 11 (SIGSEGV)");
    QCOMPARE(describe(ended_by(1, 63)), "rank 1 was killed by signal 63");  // which has no name
    QCOMPARE(describe({1, 0, 9, true, Cause::hang, "it waits"}), "rank 1 hangs: it waits");
    QCOMPARE(describe(because(1, Cause::memory)), "rank 1 ran out of memory");
    QCOMPARE(describe({1, 0, 9, true, Cause::node, "node n2 is gone"}), "node n2 is gone");
    QCOMPARE(describe({1, 1, 0, false, Cause::non_finite, "step 3: NaN"}), "step 3: NaN");
  }
};

BATCHSCOPE_TEST(TestOutcome)
#include "test_outcome.moc"
