// SPDX-License-Identifier: GPL-3.0-or-later
//
// The goodput explorer on a recorded run: what-if by slider and by keys, what was never measured, where
// accumulation begins, step times against the model, and the rules replayed on the recorded statistics.
#include <QAbstractItemModelTester>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <cmath>

#include "batchscope/common/derived_series.h"
#include "control/control_panel.h"
#include "control/replica_buttons.h"
#include "explorer/explorer_panel.h"
#include "explorer/step_times.h"
#include "figure/goodput_curve.h"
#include "test_case.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

class TestExplorer : public test::WindowTest {
  Q_OBJECT

  ExplorerPanel& explorer() const { return *window_->explorer(); }
  bool says(const QString& words) const {
    const auto labels = explorer().findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel* l) { return l->text().contains(words); });
  }

 private Q_SLOTS:
  void initTestCase() {
    catalogue_.claim_supervisor(test::writeSyntheticRun(
        catalogue_, {.stepsPerGeneration = 1200, .state = protocol::RunState::paused}));
    showWindow();
    QTest::keyClick(window_.get(), Qt::Key_G);
    QVERIFY(explorer().isVisible() && !window_->dashboard()->isVisible());
    QTRY_VERIFY(explorer().stepTimes()->rowCount() > 0);
  }

  void theSliderAsksTheModel() {
    QSlider* slider = explorer().slider();
    QVERIFY(slider->isEnabled());
    QCOMPARE(slider->maximum(), 16);  // twice what was measured
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_Home);
    QCOMPARE(slider->value(), 1);
    QCOMPARE(window_->control()->replicas()->chosen(), 1);
    QVERIFY(says(QStringLiteral("1 replica")));
    for (int i = 0; i < 4; ++i) QTest::keyClick(slider, Qt::Key_Right);
    QCOMPARE(window_->control()->replicas()->chosen(), 5);
    QCOMPARE(explorer().curve()->curve().back().replicas, 5);
    QCOMPARE(explorer().applyButton()->text(), window_->control()->restartButton()->text());
    QVERIFY(!says(QStringLiteral("Never measured")));
    QTest::keyClick(slider, Qt::Key_End);
    QVERIFY(says(QStringLiteral("Never measured on 16 replicas")));
  }

  void accumulationBeginsWhereALocalBatchEnds() {
    window_->control()->replicas()->choose(4);
    // At most 256 samples a replica and micro-batch: from a total of 1,024 on it takes two.
    const auto begins = explorer().curve()->accumulationBegins();
    QVERIFY2(begins > 1024 && begins < 1100, qPrintable(QString::number(begins)));
  }

  void stepTimesStandBesideTheModel() {
    StepTimeModel& model = *explorer().stepTimes();
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto* figure = test::named<Figure>(explorer(), "Measured step time over predicted");
    // Two local batch sizes a generation, and accumulation in the last.
    QCOMPARE(model.rowCount(), 7);
    std::int64_t steps = 0;
    for (const StepTime& time : model.times()) {
      QVERIFY(std::abs(time.residual()) < 0.02);
      QVERIFY(figure->rect().contains(figure->place(1000 * time.predicted, 1000 * time.measured).toPoint()));
      steps += time.steps;
    }
    QCOMPARE(steps, 3 * 1200 - 3);
    QVERIFY(run::mean_error(model.times()) < 0.01);
    QVERIFY(says(QStringLiteral("mean error")));
    const StepTime first = model.times().front();
    QCOMPARE(first.replicas, 2);
    QCOMPARE(model.index(0, StepTimeModel::LocalBatch).data().toString(),
             QString::number(first.local_batch_size));
    QCOMPARE(model.headerData(StepTimeModel::Residual, Qt::Horizontal, Qt::DisplayRole).toString(),
             QStringLiteral("Residual"));
    QVERIFY(std::isnan(run::mean_error({})));
  }

  void rulesAreReplayedOnWhatWasRecorded() {
    SeriesModel& series = *window_->session()->series();
    const auto at = *series.nearest(XAxis::Step, 2000);
    QTRY_VERIFY(series.value(common::kAdaScaleFactor, at).has_value());
    const double scale = *series.value("scale", at), gain = *series.value("gain", at);
    QCOMPARE(*series.value(common::kLinearFactor, at), scale);
    QCOMPARE(*series.value(common::kSqrtFactor, at), std::sqrt(scale));
    // The run trained with AdaScale, whose factor is the gain.
    QCOMPARE(*series.value(common::kAdaScaleFactor, at), gain);
    QCOMPARE(*series.value(common::kAdamScaleFactor, at), std::sqrt(gain));
    // LEGW has warmed up by then, and is below its root before.
    const auto early = *series.nearest(XAxis::Step, 50);
    QVERIFY(*series.value(common::kLegwFactor, early) < 0.9 * *series.value(common::kSqrtFactor, early));
    const ChartScene& scene = explorer().cards()[0]->plot()->painter().scene();
    QTRY_COMPARE_WITH_TIMEOUT(scene.lines.size(), 6u, 30000);
    for (const SceneLine& line : scene.lines) QVERIFY(!line.pieces.empty() && line.pieces[0].ink.points > 0);
  }

  void looksRight() {
    window_->control()->replicas()->choose(4);
    QTest::qWait(150);
    for (const QSize& size : {QSize(1280, 800), QSize(1920, 1080)}) {
      window_->resize(size);
      QTest::qWait(80);
      test::keepPicture(*window_, QStringLiteral("explorer-%1").arg(size.width()));
      for (const QLabel* label : explorer().findChildren<QLabel*>()) {
        if (!label->isVisible() || label->wordWrap()) continue;
        QVERIFY2(
            label->width() >= label->sizeHint().width() || label->inherits("batchscope::desktop::UnitLabel"),
            qPrintable(label->text()));
      }
    }
    QTest::keyClick(window_.get(), Qt::Key_G);
    QVERIFY(window_->dashboard()->isVisible());
    QTest::mouseClick(window_->control()->findChild<GoodputCurve*>()->viewport(), Qt::LeftButton);
    QVERIFY(explorer().isVisible());
  }
};

BATCHSCOPE_TEST(TestExplorer)
#include "test_explorer.moc"
