// SPDX-License-Identifier: GPL-3.0-or-later
//
// Replay for a class: a recorded run that is played as if it were live, and the formula of a quantity with
// the numbers of a step in it, which give what was recorded.
#include <QComboBox>
#include <QLabel>
#include <QSettings>
#include <QSlider>
#include <QTableView>
#include <QToolTip>
#include <cmath>

#include "batchscope/common/derived_series.h"
#include "batchscope/common/run_text.h"
#include "batchscope/protocol/series.h"
#include "records/events_panel.h"
#include "runs/header_bar.h"
#include "series/formulas.h"
#include "test_case.h"
#include "visual_checks.h"
#include "window/replay_bar.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace series = protocol::series;

class TestReplay : public test::WindowTest {
  Q_OBJECT

  SeriesModel& model() const { return *window_->session()->series(); }
  ViewState& view() const { return *window_->view(); }
  ReplayBar& bar() const { return *window_->findChild<ReplayBar*>(); }
  QStringList labels() const {
    QStringList texts;
    for (const QLabel* label : window_->findChildren<QLabel*>())
      if (label->isVisible()) texts << label->text();
    return texts;
  }

 private Q_SLOTS:
  void initTestCase() {
    QCoreApplication::setApplicationName(QStringLiteral("batchscope"));
    test::writeSyntheticRun(catalogue_, {.stepsPerGeneration = 400});
    showWindow();
    test::awaitDrawn(*window_);
  }

  void aFormulaGivesWhatWasRecorded_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("symbols");
    const auto row = [](const char* name, const char* symbols) {
      QTest::newRow(name) << QString::fromLatin1(name) << QString::fromUtf8(symbols);
    };
    row(series::kGain, "gain = (σ² + μ²) / (σ²/S + μ²)");
    row(series::kEfficiency, "efficiency = gain / S");
    row(series::kGoodput, "goodput = throughput × efficiency");
    row(series::kThroughput, "throughput = batch size / step time");
    row(series::kNoiseScale, "noise scale = σ²/μ² × M/S");
    row(series::kProgress, "progress = progress before + gain");
    row(series::kLearningRateFactor, "factor = gain = (σ² + μ²) / (σ²/S + μ²)");  // the rule it trained with
    row(series::kLearningRate, "learning rate = scheduled rate × factor");
    row(series::kBatchSize, "batch size = replicas × batch per replica × (1 + accumulation steps)");
    row(common::kComputeTime, "compute = step time − sync");
  }
  void aFormulaGivesWhatWasRecorded() {
    QFETCH(QString, name);
    QFETCH(QString, symbols);
    int seen = 0;
    for (const auto& [generation, step] : {std::pair(0, 2), {0, 300}, {1, 500}, {2, 800}, {2, 1100}}) {
      const StepRef at{generation, step};
      const auto worked = workedFormula(name.toStdString(), model(), at);
      QVERIFY(worked && worked->computed && worked->recorded);
      QCOMPARE(worked->symbols, symbols);
      QVERIFY2(std::abs(*worked->computed - *worked->recorded) <= 1e-6 * std::abs(*worked->recorded),
               qPrintable(QStringLiteral("%1, not %2").arg(*worked->computed).arg(*worked->recorded)));
      const QString tip = formulaTip(name.toStdString(), model(), at);
      QVERIFY2(
          tip.contains(QStringLiteral("= ") + worked->numbers) && !tip.contains(QStringLiteral("recorded:")),
          qPrintable(tip));
      QVERIFY(!worked->numbers.contains(QLatin1Char('%')) && !worked->source.isEmpty());
      ++seen;
    }
    QCOMPARE(seen, 5);
    QVERIFY(formulaTip("perplexity", model(), {0, 2}).isEmpty());
  }

  void titlesAndLegendsSayTheirFormula() {
    view().setCursor(StepRef{1, 500});
    const ChartCard* gain = window_->dashboard()->cards()[0];
    const auto tipOf = [](QWidget* widget) {
      QHelpEvent event(QEvent::ToolTip, {2, 2}, widget->mapToGlobal(QPoint(2, 2)));
      QCoreApplication::sendEvent(widget, &event);
      return QToolTip::text();
    };
    auto* title = gain->findChild<QLabel*>(QStringLiteral("chartTitle"));
    QVERIFY(tipOf(title).startsWith(QStringLiteral("Gain at step 500\n")));
    view().setCursor({});
    QVERIFY(tipOf(title).startsWith(QStringLiteral("Gain at step 1,")));  // the newest
    auto* factor = test::named<QAbstractButton>(*window_, "Show factor");
    const QString tip = tipOf(factor);
    QVERIFY2(tip.startsWith(QStringLiteral("Learning-rate factor, AdaScale at step")) &&
                 tip.endsWith(QStringLiteral("Hide or show factor")),
             qPrintable(tip));
    for (QLabel* label : window_->findChildren<QLabel*>())
      if (label->text() == QLatin1String("Efficiency"))
        QVERIFY(tipOf(label).contains(QStringLiteral("efficiency = gain / S")));
    QToolTip::hideText();
  }

  void aReplayEndsChartsAtItsHead() {
    const double whole = model().extent(XAxis::WallTime).high;
    view().setAxis(XAxis::WallTime, &model());
    QTest::keyClick(window_.get(), Qt::Key_R);
    QVERIFY(bar().isVisible());
    QVERIFY(view().playHead() && *view().playHead() < 0.2 * whole);
    QTest::keyClick(window_.get(), Qt::Key_P);  // hold it
    bar().slider()->setValue(500);
    QCOMPARE(*view().playHead(), whole / 2);
    for (const XAxis axis : kXAxes) {
      const auto range = view().range(model(), axis);
      QVERIFY(range.high < 0.9 * model().extent(axis).high);
      QVERIFY(range.low <= 0.01 * range.high);
    }
    QCOMPARE(view().range(model(), XAxis::WallTime).high, whole / 2);
    test::awaitDrawn(*window_);
    QCOMPARE(plotAt(0)->painter().scene().left.x1, whole / 2);
    QVERIFY(plotAt(0)->painter().scene().bands.size() < 3);
    QCOMPARE(plotAt(0)->emptyText(), QStringLiteral("Nothing recorded yet"));  // as it was then
    QCOMPARE(test::fault(*window_), QString());
    test::keepPicture(*window_, QStringLiteral("replay"));
  }

  // Values and events are those of the head; the cross-hair goes before it.
  void valuesFollowTheHead() {
    const StepRef head = *view().present(model());
    QVERIFY(head.step < 900);
    QCOMPARE(*model().position(XAxis::WallTime, head) <= *view().playHead() + 1, true);
    QTableView* events = window_->findChild<EventsPanel*>();
    auto* shown = qobject_cast<EventModel*>(events->model());
    QTRY_VERIFY(events->currentIndex().isValid());
    QVERIFY(shown->at(events->currentIndex().row()).step <= head.step);
    // Later events have not happened yet, and come with the head.
    const auto newest = [&] { return StepRef{shown->at(0).generation, shown->at(0).step}; };
    const int count = shown->rowCount();
    QVERIFY(newest().generation < 2 && newest().step <= head.step);
    bar().slider()->setValue(100);
    QVERIFY(shown->rowCount() < count && newest().generation == 0);
    QVERIFY(!view().cursor());
    bar().slider()->setValue(1000);
    QCOMPARE(newest().generation, 2);
    bar().slider()->setValue(500);
    QCOMPARE(shown->rowCount(), count);
    view().setCursor(StepRef{0, 100});
    QCOMPARE(view().present(model())->step, std::int64_t{100});
    view().setCursor({});
    QCOMPARE(*view().present(model()), head);
  }

  // The state, the epoch and how far the run had come.
  void theHeaderFollowsTheHead() {
    const auto* header = window_->findChild<HeaderBar*>();
    const auto* progress = test::named<QWidget>(*header, "Progress of the run");
    const auto* chip = header->findChild<QLabel*>(QStringLiteral("chip"));
    const auto percent = [&] {
      return progress->accessibleDescription().section(QLatin1Char(' '), 0, 0).toInt();
    };
    std::vector<int> percents;
    for (const auto& [place, text] : {std::pair(100, QStringLiteral("Training on 2 replicas")),
                                      {500, QStringLiteral("Training on 4 replicas")},
                                      {900, QStringLiteral("Training on 8 replicas")},
                                      {1000, QStringLiteral("Finished")}}) {
      bar().slider()->setValue(place);
      QCOMPARE(chip->text(), text);
      percents.push_back(percent());
    }
    QVERIFY(percents[0] < percents[1] && percents[1] < percents[2] && percents[2] <= percents[3]);
    QVERIFY(3 * percents[0] < percents[3]);
    QVERIFY(labels().contains(common::describeEpoch(window_->session()->status())));
    bar().slider()->setValue(500);
    QVERIFY(!labels().contains(common::describeTime(window_->session()->status())));
  }

  void itPlaysToItsEnd() {
    bar().speeds()->setCurrentIndex(4);  // 60 times as fast
    bar().slider()->setValue(990);
    QTest::keyClick(window_.get(), Qt::Key_P);
    const double whole = model().extent(XAxis::WallTime).high;
    QTRY_COMPARE_WITH_TIMEOUT(view().playHead().value_or(0), whole, 30'000);
    QTRY_VERIFY(!bar().playAction()->isChecked());
    QTest::keyClick(window_.get(), Qt::Key_P);  // from its beginning again
    QVERIFY(*view().playHead() < 0.5 * whole);
  }

  void nothingOfItIsLeft() {
    QTest::keyClick(window_.get(), Qt::Key_R);
    QVERIFY(!bar().isVisible() && !view().playHead() && !view().pointedAt());
    QVERIFY(labels().contains(QStringLiteral("Finished")));
    auto* events = qobject_cast<EventModel*>(window_->findChild<EventsPanel*>()->model());
    QCOMPARE(static_cast<std::size_t>(events->rowCount()), window_->session()->events(0).size());
    QVERIFY(!bar().playAction()->isEnabled());
    for (const XAxis axis : kXAxes) QCOMPARE(view().range(model(), axis), model().extent(axis));
    QVERIFY(!view().isZoomed() && !view().canUndo());
    // Nor when another run is opened while it plays.
    QTest::keyClick(window_.get(), Qt::Key_R);
    const std::string other =
        test::writeSyntheticRun(catalogue_, {.name = "other", .stepsPerGeneration = 100});
    watcher_.reload();
    window_->openRun(other);
    QTRY_COMPARE(window_->session()->run().id, other);
    QVERIFY(!view().playHead() && !bar().isVisible());
  }

  // Where no chart would show it, none begins.
  void itBeginsWhereItIsSeen() {
    for (const Qt::Key page : {Qt::Key_T, Qt::Key_Q, Qt::Key_W}) {
      QTest::keyClick(window_.get(), page);
      QVERIFY(!window_->dashboard()->isVisible());
      QTest::keyClick(window_.get(), Qt::Key_R);
      QVERIFY(!view().playHead() && !bar().replayAction()->isChecked());
      QTest::keyClick(window_.get(), page);
      QVERIFY(window_->dashboard()->isVisible());
    }
  }

  // Formulas against the engine's own record of a run on two, one and three replicas with AdaScale; rounded.
  void theFormulasAreTheEngines() {
    window_->importRuns({QStringLiteral(BATCHSCOPE_RESOURCES "/lessons/runs/elastic.jsonl")});
    QTRY_VERIFY_WITH_TIMEOUT(window_->session()->run().name != "other" && !model().recorded().empty(),
                             60'000);
    for (const char* name : {series::kGain, series::kEfficiency, series::kGoodput, series::kThroughput}) {
      QTRY_VERIFY(model().track(name, 0) != nullptr && !model().track(name, 0)->empty());
      int same = 0, all = 0;
      QString other;  // the last that was not so
      for (const GenerationSpan& span : model().generations()) {
        for (const Bucket& recorded : model().track(name, span.number)->buckets()) {
          const auto worked = workedFormula(name, model(), {span.number, recorded.first_step});
          QVERIFY(worked);
          if (!worked->computed || !worked->recorded) continue;
          ++all;
          if (std::abs(*worked->computed - *worked->recorded) <= 3e-3 * std::abs(*worked->recorded))
            ++same;
          else
            other = formulaTip(name, model(), {span.number, recorded.first_step});
        }
      }
      // The last batch of a pass is smaller than the batch size, which its throughput shows; and a squared
      // gradient near zero was rounded off.
      QVERIFY2(all > 50 && same >= (name == series::kThroughput ? 0.8 : 0.98) * all,
               qPrintable(QStringLiteral("%1 of %2\n%3").arg(same).arg(all).arg(other)));
    }
  }
};

BATCHSCOPE_TEST(TestReplay)
#include "test_replay.moc"
