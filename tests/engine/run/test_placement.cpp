// SPDX-License-Identifier: Apache-2.0
//
// Dealing out cores and GPUs.
#include <QTest>

#include "batchscope/protocol/error.h"
#include "placement.h"

using namespace batchscope;
using namespace batchscope::run;

class TestPlacement : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void coresAreDivided() {
    const Placement placement = place({}, 3, {8, 0});
    QCOMPARE(placement.places.size(), 3u);
    QCOMPARE(placement.places[2].threads, 2);
    QVERIFY(placement.warning.empty());
  }

  void moreReplicasThanCoresIsAWarning() {
    const Placement placement = place({}, 3, {2, 0});
    QCOMPARE(placement.places[0].threads, 1);
    QVERIFY(QString::fromStdString(placement.warning).contains("3 replicas share 2 cores"));
  }

  void eachReplicaHasItsGpu() {
    protocol::RunSpec spec;
    spec.device = "cuda";
    const Placement placement = place(spec, 2, {8, 2});
    QCOMPARE(placement.places[1].device, "cuda:1");
    QCOMPARE(placement.places[1].backend, "nccl");
  }

  void gpusAreSharedOnlyWhenAsked() {
    protocol::RunSpec spec;
    spec.device = "cuda";
    QVERIFY_THROWS_EXCEPTION(Error, place(spec, 3, {8, 2}));
    spec.oversubscribe = true;
    const Placement placement = place(spec, 3, {8, 2});
    QCOMPARE(placement.places[2].device, "cuda:0");
    QCOMPARE(placement.places[2].backend, "gloo");
    QVERIFY_THROWS_EXCEPTION(Error, place(spec, 1, {8, 0}));
  }

  void nonsenseIsRefused() {
    QVERIFY_THROWS_EXCEPTION(Error, place({}, 0, {8, 0}));
    protocol::RunSpec spec;
    spec.device = "abacus";
    QVERIFY_THROWS_EXCEPTION(Error, place(spec, 1, {8, 0}));
  }
};

QTEST_APPLESS_MAIN(TestPlacement)
#include "test_placement.moc"
