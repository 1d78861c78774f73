// SPDX-License-Identifier: Apache-2.0
//
// When scripted events are due, and that they fire once.
#include "batchscope/protocol/error.h"
#include "session/triggers.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;

class TestTriggers : public QObject {
  Q_OBJECT

  const std::string list_ =
      R"(["step=400:checkpoint","epoch=2:replicas=1","progress=50.5:stop","elapsed=1s:pause"])";

 private Q_SLOTS:
  void each_is_due_in_its_own_measure() {
    const TriggerList list(list_);
    QVERIFY(!list.due(399, 1, 50));
    QCOMPARE(list.due(400, 1, 50), 0);
    QCOMPARE(list.due(0, 2, 0), 1);
    QCOMPARE(list.due(0, 0, 50.5), 2);
    QVERIFY(!list.due(0, 0, 50.4));
  }

  void elapsed_is_not_for_replicas() {
    QVERIFY(!TriggerList(R"(["elapsed=0s:stop"])").due(1000, 1000, 1000));
  }

  void what_fired_stays_fired_across_restarts() {
    TriggerList list(list_);
    list.set_fired(0);
    QCOMPARE(list.due(1000, 2, 0), 1);
    list.set_fired(1);
    QVERIFY(!list.due(1000, 2, 0));

    TriggerList restarted(list_);
    restarted.restore(list.state());
    QVERIFY(!restarted.due(1000, 2, 0));
    QCOMPARE(restarted.due(1000, 2, 60), 2);
  }

  void what_a_checkpoint_says_is_all_that_fired() {
    TriggerList list(list_), restored(list_);
    list.set_fired(0);
    restored.set_fired(1);
    restored.restore(list.state());
    QCOMPARE(restored.due(1000, 2, 0), 1);
  }

  void indices_beyond_the_script_are_passed_over() {
    TriggerList list(list_);
    protocol::Json fired = protocol::Json::array();
    for (const int index : {-1, 4, 1'000'000})
      fired.push_back({{"index", index}, {"trigger", "step=1:stop"}});
    list.restore(fired);
    QCOMPARE(list.due(1000, 2, 0), 0);
  }

  void another_script_starts_anew() {
    TriggerList list(list_);
    list.set_fired(0);
    TriggerList other(R"(["step=500:checkpoint"])");
    other.restore(list.state());
    QCOMPARE(other.due(500, 0, 0), 0);
  }

  void nonsense_is_refused() {
    QVERIFY_EXCEPTION_THROWN(TriggerList("[\"step=400:"), Error);
    QVERIFY_EXCEPTION_THROWN(TriggerList("[\"steps=1:checkpoint\"]"), Error);
    QVERIFY(!TriggerList("").due(1, 1, 1));
  }
};

BATCHSCOPE_TEST(TestTriggers)
#include "test_triggers.moc"
