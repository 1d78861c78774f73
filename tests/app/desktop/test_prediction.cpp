// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the control panel asks the model for.
#include <cmath>

#include "chart/prediction.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

protocol::Model model() {
  protocol::Model m;
  m.perf = {0.012, 0.00022, 0.02, 0.004, 0.006, 0.0012, 1.8};
  m.grad_sqr = 1;
  m.grad_var = 10;
  m.init_batch_size = 128;
  m.max_batch_size = 4096;
  m.min_local_batch_size = 8;
  m.max_local_batch_size = 256;
  m.accumulation = true;
  m.max_profiled_replicas = 2;
  return m;
}

}  // namespace

class TestPrediction : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theCurveClimbsInBatchSizeWithinTheBounds() {
    for (const int replicas : {1, 2, 3, 8}) {
      const auto curve = goodputCurve(model(), replicas, 120);
      QVERIFY(curve.size() > 60);
      for (std::size_t i = 0; i < curve.size(); ++i) {
        if (i > 0) QVERIFY(curve[i].batchSize > curve[i - 1].batchSize);
        QVERIFY(curve[i].batchSize <= 4096 * 1.02 + replicas);
        QVERIFY(std::abs(curve[i].goodput - curve[i].throughput * curve[i].efficiency) <
                1e-6 * curve[i].throughput);
        QVERIFY(curve[i].batchSize <= 256 * replicas || curve[i].accumulation > 0);
      }
    }
  }

  void theBestPointIsNoWorseThanTheCurve() {
    const auto best = bestPoint(model(), 4);
    QVERIFY(best.has_value());
    for (const OperatingPoint& point : goodputCurve(model(), 4, 120))
      QVERIFY(point.goodput <= best->goodput * 1.02);
  }

  void thePresentPointIsWhereTheRunIs() {
    const auto now = presentPoint(model(), 2, {{"local_batch_size", 64}, {"accumulation_steps", 1}});
    QCOMPARE(now->batchSize, 256);
    QVERIFY(!presentPoint(model(), 2, {}).has_value());
  }
};

BATCHSCOPE_TEST(TestPrediction)
#include "test_prediction.moc"
