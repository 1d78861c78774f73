// SPDX-License-Identifier: GPL-3.0-or-later
//
// The curve, the best of it and the run's place on it agree, under every constraint that a program may set.
#include <QLocale>
#include <algorithm>
#include <cmath>

#include "batchscope/common/goodput_prediction.h"
#include "batchscope/common/number_text.h"
#include "figure/goodput_curve.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::common;
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
  m.devices = 64;
  m.max_profiled_replicas = 2;
  return m;
}

// The same where the program leaves no choice: all replicas share the initial batch, or each has so many.
protocol::Model fixed(int microBatches) {
  protocol::Model m = model();
  m.max_batch_size = m.min_local_batch_size = m.max_local_batch_size = 0;
  m.accumulation = false;
  m.micro_batches = microBatches;
  return m;
}

protocol::Model withoutAccumulation() {
  protocol::Model m = model();
  m.accumulation = false;
  return m;
}

}  // namespace

Q_DECLARE_METATYPE(batchscope::protocol::Model)

class TestPrediction : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

  void theCurveClimbsInBatchSizeWithinTheBounds() {
    for (const int replicas : {1, 2, 3, 8}) {
      const auto curve = common::goodputCurve(model(), replicas, 120);
      QVERIFY(curve.size() > 60);
      for (std::size_t i = 0; i < curve.size(); ++i) {
        if (i > 0) QVERIFY(curve[i].batchSize > curve[i - 1].batchSize);
        QVERIFY(curve[i].batchSize >= 128 && curve[i].batchSize <= 4096);
        QVERIFY(std::abs(curve[i].goodput - curve[i].throughput * curve[i].efficiency) <
                1e-6 * curve[i].throughput);
        QVERIFY(curve[i].batchSize <= 256 * replicas || curve[i].accumulation > 0);
      }
    }
  }

  void theBestIsTheHighestOfWhatIsFeasible_data() {
    QTest::addColumn<protocol::Model>("model");
    QTest::addRow("bounds") << model();
    QTest::addRow("no accumulation") << withoutAccumulation();
    QTest::addRow("shared") << fixed(0);
    QTest::addRow("each the initial batch") << fixed(1);
    QTest::addRow("each four of them") << fixed(4);
    protocol::Model single = withoutAccumulation();
    single.single_gradient = true;
    QTest::addRow("a single gradient") << single;
    protocol::Model narrow = withoutAccumulation();
    narrow.min_local_batch_size = narrow.max_local_batch_size = 64;
    QTest::addRow("one local batch size") << narrow;
  }

  void theBestIsTheHighestOfWhatIsFeasible() {
    QFETCH(const protocol::Model, model);
    for (const int replicas : {1, 2, 3, 8}) {
      const common::GoodputPrediction prediction = common::predictGoodput(model, replicas, 120);
      QVERIFY(prediction.best.has_value());
      bool isOnTheCurve = false;
      for (const common::OperatingPoint& point : prediction.curve) {
        isOnTheCurve = isOnTheCurve || (point.batchSize == prediction.best->batchSize && point.isFeasible() &&
                                        point.goodput == prediction.best->goodput);
        if (point.isFeasible()) QVERIFY(point.goodput <= prediction.best->goodput * (1 + 1e-3));
        QCOMPARE(common::limitText(model, replicas, point.limit).isEmpty(), point.isFeasible());
      }
      QVERIFY(isOnTheCurve);
    }
  }

  void whatTheProgramFixesIsTheBestAndTheOnlyOne_data() {
    QTest::addColumn<int>("microBatches");
    QTest::addColumn<int>("replicas");
    QTest::addColumn<int>("batchSize");
    QTest::addColumn<QString>("constraint");
    QTest::addRow("shared") << 0 << 2 << 128 << "the program fixes the batch size at 128";
    QTest::addRow("rounded up") << 0 << 3 << 129 << "the program fixes the batch size at 128";
    QTest::addRow("each") << 1 << 4 << 512 << "the program fixes the batch size at 128 a replica";
    QTest::addRow("accumulated") << 4 << 1 << 512 << "the program fixes the batch size at 4 × 128 a replica";
  }

  void whatTheProgramFixesIsTheBestAndTheOnlyOne() {
    QFETCH(const int, microBatches);
    QFETCH(const int, replicas);
    const protocol::Model model = fixed(microBatches);
    const common::GoodputPrediction prediction = common::predictGoodput(model, replicas, 120);
    QTEST(static_cast<int>(prediction.best->batchSize), "batchSize");
    QTEST(common::constraintText(model, replicas), "constraint");
    double before = 0;
    for (const common::OperatingPoint& point : prediction.curve) {
      QCOMPARE(point.isFeasible(), point.batchSize == prediction.best->batchSize);
      QVERIFY(point.throughput >= before);  // no point of it stands out
      before = point.throughput;
    }
  }

  void aLargestLocalBatchEndsTheCurveWhereNothingAccumulates() {
    const protocol::Model model = withoutAccumulation();
    for (const common::OperatingPoint& point : common::goodputCurve(model, 2, 120)) {
      QCOMPARE(point.limit,
               point.batchSize > 512 ? common::BatchLimit::LargestLocalBatch : common::BatchLimit::None);
      QCOMPARE(point.accumulation, 0);
    }
    QCOMPARE(common::limitText(model, 2, common::BatchLimit::LargestLocalBatch),
             QStringLiteral("the largest local batch is 256, and accumulation is off"));
  }

  void oneReplicaWithoutAccumulationEndsAtTheInitialBatchSize() {
    protocol::Model model = withoutAccumulation();
    for (const common::OperatingPoint& point : common::goodputCurve(model, 1, 120))
      QCOMPARE(point.limit,
               point.batchSize > 130 ? common::BatchLimit::SingleGradient : common::BatchLimit::None);
    QVERIFY(common::limitText(model, 1, common::BatchLimit::SingleGradient)
                .startsWith("one replica without accumulation keeps 128"));
    QVERIFY(common::constraintText(model, 1).endsWith("one replica keeps 128"));
    model.single_gradient = true;
    for (const common::OperatingPoint& point : common::goodputCurve(model, 1, 120))
      QCOMPARE(point.limit,
               point.batchSize > 256 ? common::BatchLimit::LargestLocalBatch : common::BatchLimit::None);
    model.accumulation = true;
    const auto best = common::bestPoint(model, 1);
    QVERIFY(best->batchSize > 128 && best->accumulation == 0);
  }

  void whatIsOutOfReachIsDrawnAsSuchAndNamed() {
    common::GoodputPrediction prediction = common::predictGoodput(
        withoutAccumulation(), 2, 120, 2, {{"local_batch_size", 64}, {"accumulation_steps", 0}});
    prediction.measured = 1234;
    GoodputCurve curve;
    curve.setPrediction(prediction);
    const auto& all = curve.data().series;
    const auto with = [&](FigureSeries::Mark mark) {
      return std::find_if(all.begin(), all.end(), [&](const FigureSeries& one) { return one.mark == mark; });
    };
    const auto beyond = with(FigureSeries::Mark::Dashed);
    QVERIFY(beyond != all.end());
    for (const FigurePoint& point : beyond->points) {
      QCOMPARE(std::isfinite(point.y), point.x > 512);
      if (point.x > 512)
        QVERIFY(
            point.text.endsWith(QStringLiteral("out of reach: the largest local batch is 256, and "
                                               "accumulation is off")));
    }
    const auto measured = with(FigureSeries::Mark::Rings);
    QVERIFY(measured != all.end());
    QCOMPARE(measured->points[0].x, 128.0);
    QCOMPARE(measured->points[0].y, 1234.0);
  }

  void replicasBeyondTheDevicesAreNoFaster() {
    protocol::Model two = model();
    two.devices = 2;
    const double most = common::bestPoint(two, 2)->goodput;
    QCOMPARE(most, common::bestPoint(model(), 2)->goodput);
    for (const int replicas : {3, 4, 5, 8, 64}) QVERIFY(common::bestPoint(two, replicas)->goodput <= most);
    QVERIFY(common::bestPoint(model(), 5)->goodput > 1.5 * most);
    QVERIFY(common::sharingText(two, 2).isEmpty() && common::sharingText(model(), 64).isEmpty());
    QCOMPARE(common::sharingText(two, 5), QStringLiteral("5 replicas share 2 devices: no faster than 2"));
    two.devices = 0;  // as earlier versions stored it
    QVERIFY(common::bestPoint(two, 5)->goodput <= most);
    QCOMPARE(common::sharingText(two, 5),
             QStringLiteral("measured on at most 2 replicas: more may not be faster"));
  }

  void thePresentPointIsWhereTheRunIs() {
    const std::map<std::string, double> latest{{"local_batch_size", 64}, {"accumulation_steps", 1}};
    QCOMPARE(common::presentPoint(model(), 2, latest)->batchSize, 256);
    QVERIFY(!common::presentPoint(model(), 2, {}).has_value());
    QCOMPARE(common::predictGoodput(model(), 2, 120, 2, latest).now->batchSize, 256);
    QVERIFY(!common::predictGoodput(model(), 4, 120, 2, latest).now);
  }

  void aNumberOfReplicasIsComparedWithNow_data() {
    QTest::addColumn<int>("replicas");
    QTest::addColumn<protocol::RunState>("state");
    QTest::addColumn<bool>("isMeasured");
    QTest::addColumn<QString>("text");
    using protocol::RunState;
    QTest::addRow("as now, before it is measured")
        << 2 << RunState::running << false << "Not measured yet; the model predicts goodput %1 samples/s.";
    const char* const measured =
        "goodput 4,000 samples/s at efficiency 0.90, the mean of 12 s. The model predicts %1.";
    QTest::addRow("as now") << 2 << RunState::running << true << "Measured now: " + QString(measured);
    QTest::addRow("as now, restarting")
        << 2 << RunState::restarting << true << "Measured last: " + QString(measured);
    QTest::addRow("as now, paused") << 2 << RunState::paused << true
                                    << "Resume goes on from the newest checkpoint. Measured last: " +
                                           QString(measured);
    QTest::addRow("never measured")
        << 4 << RunState::running << true
        << "Predicted goodput %3 samples/s, %4 % more than the %1 predicted for now; efficiency %2 → %5. "
           "Measured now: 4,000. Pause about 0.30 s. 4 replicas: never measured.";
    QTest::addRow("not possible") << 100 << RunState::running << false
                                  << "The model has no batch size that fits 100 replicas.";
  }

  void aNumberOfReplicasIsComparedWithNow() {
    QFETCH(const int, replicas);
    QFETCH(const protocol::RunState, state);
    QFETCH(const bool, isMeasured);
    QFETCH(QString, text);
    protocol::Model model = ::model();
    if (replicas > 64) model.max_batch_size = 512;  // of which each needs 8
    const std::map<std::string, double> latest{{"local_batch_size", 64}, {"accumulation_steps", 0}};
    run::MeasuredRate rate;
    rate.seconds = 12;
    rate.goodput = 4000;
    rate.efficiency = 0.9;
    const auto measured = isMeasured ? std::optional(rate) : std::nullopt;
    const OperatingPoint now = *presentPoint(model, 2, latest);
    text.replace("%1", predictedText(now.goodput)).replace("%2", formatNumber(now.efficiency, 2));
    if (const auto best = bestPoint(model, replicas))
      text.replace("%3", predictedText(best->goodput))
          .replace("%4 %", formatPercent(best->goodput / now.goodput - 1))
          .replace("%5", formatNumber(best->efficiency, 2));
    QCOMPARE(whatIfText(model, replicas, {2, state, latest, measured, 0.3}), text);
  }

  void whatMakesAPredictionLessSureIsSaid() {
    QCOMPARE(cautionText(model(), 2), QString());
    protocol::Model two = model();
    two.devices = 2;
    QCOMPARE(cautionText(two, 5),
             QStringLiteral("5 replicas share 2 devices: no faster than 2. Never measured on 5 replicas: "
                            "extrapolated from at most 2 replicas."));
  }
};

BATCHSCOPE_TEST(TestPrediction)
#include "test_prediction.moc"
