// SPDX-License-Identifier: Apache-2.0
//
// The speed-up over one replica: its definition, its memory, and where nothing is feasible.
#include "batchscope/goodput.h"
#include "test_case.h"

using namespace batchscope::goodput;

class TestSpeedup : public QObject {
  Q_OBJECT

  const GoodputFunction goodput_{
      {0.121, 0.00568, 0.0236, 0.00634, 0.0118, 0.00317, 1.14}, {0.00136, 0.000502}, 128};
  const Bounds bounds_{1280, 16, 256, true};

 private Q_SLOTS:
  void isTheRatioOfTheBestGoodputs() {
    SpeedupFunction speedup(goodput_, bounds_);
    QCOMPARE(speedup(1, 1), 1.0);
    for (const auto& [nodes, replicas] : {std::pair{1, 2}, {1, 4}, {2, 4}, {4, 16}}) {
      const double expected =
          goodput_.optimize(nodes, replicas, bounds_).goodput / goodput_.optimize(1, 1, bounds_).goodput;
      QCOMPARE(speedup(nodes, replicas), expected);
      QCOMPARE(speedup(nodes, replicas), expected);  // from memory
    }
    QVERIFY(speedup(1, 2) > 1);
    QVERIFY(speedup(1, 4) > speedup(2, 4));
  }

  void isZeroWhereNothingIsFeasible() {
    SpeedupFunction speedup(goodput_, bounds_);
    QCOMPARE(speedup(0, 0), 0.0);
    QCOMPARE(speedup(2, 1), 0.0);
    QCOMPARE(speedup(1, 1000), 0.0);  // 16 samples for each of 1000 replicas are more than 1280
    SpeedupFunction impossible(goodput_, {128, 256, 256, true});
    QCOMPARE(impossible(1, 1), 0.0);
    QCOMPARE(impossible(1, 2), 0.0);
  }
};

BATCHSCOPE_TEST(TestSpeedup)
#include "test_speedup.moc"
