// SPDX-License-Identifier: Apache-2.0
//
// What the supervisor makes of decisions about its number of replicas; the decisions themselves are tested
// in the goodput room.
#include "machines.h"
#include "model/auto_scaling.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

// By which more replicas always pay.
const protocol::Model kModel{
    protocol::PerfParams{0.01, 0.001, 0.002, 0, 0.001, 0, 2}, 1e-4, 1, 64, 8192, 8, 256, true, 1, 100};

protocol::RunSpec automatic(int min, int max) {
  protocol::RunSpec spec;
  spec.auto_replicas = protocol::AutoReplicas{min, max};
  return spec;
}

int most(const protocol::RunSpec& spec, const Machine& machine) {
  AutoScaling scaling(spec, machine);
  goodput::RunContext at;
  for (int i = 0; i < 50; ++i) {
    at.replicas = scaling.consider(kModel, at).replicas.value_or(at.replicas);
    at.max_profiled_replicas = at.replicas;
  }
  return at.replicas;
}

}  // namespace

class TestAutoScaling : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aMoveIsToldWithItsNumbers() {
    AutoScaling scaling(automatic(1, 4), machine_with(8, 0));
    const goodput::RunContext at{1, 1, 0.25, 60};
    const auto first = scaling.consider(kModel, at);
    QVERIFY(!first.replicas);
    QVERIFY(QString::fromStdString(first.event).startsWith("auto: stays on 1 replica"));
    QVERIFY(scaling.consider(kModel, at).event.empty());  // told once
    const auto move = scaling.consider(kModel, at);
    QCOMPARE(move.replicas, std::optional(2));
    const QString event = QString::fromStdString(move.event);
    for (const char* part :
         {"from 1 to 2 replicas", "samples/s on 1 (1.00 a replica)", "samples/s on 2 (",
          "a pause of 0.25 s charged over 60 s", "efficiency floor 0.5", "at most 2 replicas"})
      QVERIFY2(event.contains(part), qPrintable(event));
    scaling.begin_generation();
    QVERIFY(!scaling.consider(kModel, {2, 2, 0.25, 60}).event.empty());
  }

  void theMachineIsTheMost() {
    QCOMPARE(most(automatic(1, 0), machine_with(3, 0)), 3);
    QCOMPARE(most(automatic(1, 5), machine_with(3, 0)), 5);  // cores are shared where a person says so
    protocol::RunSpec cuda = automatic(1, 5);
    cuda.device = "cuda";
    QCOMPARE(most(cuda, machine_with(8, 2)), 2);
    cuda.oversubscribe = true;
    QCOMPARE(most(cuda, machine_with(8, 2)), 5);
  }
};

BATCHSCOPE_TEST(TestAutoScaling)
#include "test_auto_scaling.moc"
