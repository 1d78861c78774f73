// SPDX-License-Identifier: Apache-2.0
//
// The number of replicas: by whom it is chosen, and what is written down of it; without processes.
#include "machines.h"
#include "rows.h"
#include "scaled_run.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::AutoReplicas;

class TestScaling : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // There are three nodes with a replica each.
  void aFirstGenerationIsWithinTheNodesAndTheRange_data() {
    const auto row = testing::columns<int, int, int, int>({"min", "max", "asked", "first"});
    row("fewer", 1, 0, 2, 2);
    row("as many as the nodes take", 1, 0, 3, 3);
    row("more than the nodes take", 1, 0, 5, 3);
    row("more than the range", 1, 2, 5, 2);
    row("a range beyond the nodes", 1, 5, 5, 3);
    row("below the range", 2, 0, 1, 2);
    row("nodes below the range", 4, 0, 1, 4);  // which is refused with the numbers
    row("nodes below a closed range", 4, 5, 9, 4);
  }
  void aFirstGenerationIsWithinTheNodesAndTheRange() {
    QFETCH(int, min);
    QFETCH(int, max);
    QFETCH(int, asked);
    Scaled run(AutoReplicas{min, max});
    QVERIFY(!run.scaling->room());
    run.scaling->use_nodes(1, {{"n2", machine_with(2, 0)}, {"n3", machine_with(2, 0)}});
    QCOMPARE(run.scaling->room(), std::optional(3));
    QTEST(run.scaling->first_replicas(asked), "first");
  }

  void aNumberThatWasSaidIsLeftToTheNodes() {
    Scaled run;
    run.scaling->use_nodes(1, {{"n2", machine_with(2, 0)}});
    QCOMPARE(run.scaling->first_replicas(5), 5);
    run.scaling->use_named_nodes({{"n2", machine_with(2, 0)}});
    QVERIFY(!run.scaling->room());
  }

  void whoChoosesIsToldAndKept() {
    Scaled run;
    run.scaling->choose(AutoReplicas{1, 4});
    run.scaling->choose(AutoReplicas{1, 4});
    QCOMPARE(std::exchange(run.told, {}),
             "info: auto is on: the number of replicas follows goodput, from 1 to 4\n");
    QVERIFY(run.kept().auto_replicas == (AutoReplicas{1, 4}));
    run.scaling->choose(AutoReplicas{2, 0});
    QCOMPARE(std::exchange(run.told, {}),
             "info: auto is on: the number of replicas follows goodput, at least 2\n");
    run.scaling->choose(AutoReplicas{1, 0});
    QCOMPARE(std::exchange(run.told, {}), "info: auto is on: the number of replicas follows goodput\n");
    run.scaling->choose({});
    run.scaling->choose({});
    QCOMPARE(run.told, "info: auto is off: the number of replicas stays as it is\n");
    QVERIFY(!run.kept().auto_replicas);
    QCOMPARE(run.kept().replicas, 2);
  }

  // The pool keeps to it. Outside the queue the spec says how the run began.
  void aNumberIsKeptForThePool() {
    Scaled queued({}, storage::Job{}), other;
    for (Scaled* const run : {&queued, &other}) {
      run->scaling->choose({}, 3);
      QCOMPARE(run->kept().replicas, run == &queued ? 3 : 2);
      run->scaling->choose({});  // what it has
      QCOMPARE(run->kept().replicas, 2);
      QCOMPARE(run->told, "");
    }
    queued.scaling->choose(AutoReplicas{1, 4}, 3);
    QCOMPARE(queued.kept().replicas, 2);
  }

  void whoKeepsItsDevicesAsksForNoOthers() {
    storage::Job pinned;
    pinned.preemptible = false;
    Scaled run({}, pinned), other({}, storage::Job{});
    VERIFY_THROWS("conflict", "the run keeps its devices until it ends (--pin)",
                  run.scaling->ask_pool(3, {}));
    QCOMPARE(run.kept().replicas, 2);
    run.scaling->ask_pool(2, {});
    other.scaling->ask_pool(3, {});
    QCOMPARE(other.kept().replicas, 3);
  }
};

BATCHSCOPE_TEST(TestScaling)
#include "test_scaling.moc"
