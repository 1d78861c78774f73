// SPDX-License-Identifier: GPL-3.0-or-later
//
// Why it scaled: what each figure makes of a recorded run, what it says where something is missing, and the
// page that holds them.
#include <QScrollBar>
#include <cmath>
#include <set>

#include "batchscope/common/number_text.h"
#include "batchscope/common/prediction_figure.h"
#include "batchscope/common/quality_figures.h"
#include "batchscope/common/repeated_steps.h"
#include "batchscope/common/restart_figures.h"
#include "batchscope/common/run_history.h"
#include "batchscope/common/run_text.h"
#include "batchscope/common/scaling_figures.h"
#include "batchscope/run/step_times.h"
#include "batchscope/storage/samples.h"
#include "figure/figure.h"
#include "figure/figure_card.h"
#include "scaling/scaling_page.h"
#include "session/comparison.h"
#include "test_case.h"
#include "visual_checks.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

class TestScaling : public test::WindowTest {
  Q_OBJECT

  static constexpr int kSteps = 1200;  // of each of three generations on 2, 4 and 8; a tenth is lost

  ScalingPage& page() const { return *window_->scaling(); }
  SeriesModel& series() const { return *window_->session()->series(); }
  const protocol::Model* model() const { return &*window_->session()->model(); }
  const FigureData& figure(const char* title) const { return test::named<Figure>(page(), title)->data(); }

 private Q_SLOTS:
  void initTestCase() {
    test::writeSyntheticRun(catalogue_, {.name = "other", .stepsPerGeneration = 400, .seed = 3});
    test::writeSyntheticRun(catalogue_, {.stepsPerGeneration = kSteps});
    showWindow();
    QTest::keyClick(window_.get(), Qt::Key_W);
    QVERIFY(page().isVisible() && !window_->dashboard()->isVisible());
    QTRY_VERIFY(!figure("What the replicas did").isEmpty());
    QTRY_VERIFY(!figure("Accuracy by epoch").isEmpty());
  }

  void momentsAreThoseThatLasted() {
    const auto moments = common::momentsOf(series(), 60);
    QVERIFY(moments.size() > 30 && moments.size() < 90);
    std::set<double> batches;
    for (std::size_t i = 0; i < moments.size(); ++i) {
      batches.insert(moments[i].batch);
      QVERIFY(moments[i].generation != 1 || moments[i].step <= 2 * kSteps - kSteps / 10);
      QVERIFY(i == 0 || moments[i].seconds > moments[i - 1].seconds);
    }
    QCOMPARE(batches, (std::set<double>{128, 256, 512, 640, 768, 1408, 2816}));
  }

  void theMapShowsTheWayOfTheRun() {
    const FigureData& map = figure("Predicted goodput, and the run's path");
    QVERIFY(map.cells.size() > 100);
    const FigureSeries& way = map.series.back();
    QCOMPARE(QPointF(way.points.front().x, way.points.front().y), QPointF(128, 2));
    QCOMPARE(QPointF(way.points.back().x, way.points.back().y), QPointF(1408, 8));
    QCOMPARE(way.points.size(), 8u);
    QCOMPARE(map.series[1].points.size(), 7u);  // configurations that were measured
  }

  void theChosenBatchStandsBesideTheBest() {
    const FigureData& choice = figure("Batch size: chosen and best");
    QCOMPARE(choice.series.size(), 2u);
    QCOMPARE(choice.series[0].points.front().y, 128.0);
    QCOMPARE(choice.series[0].points.back().y, 1408.0);
    // As the noise grows, so does the best batch; and the lines do not cross restarts.
    QVERIFY(choice.series[1].points.back().y > choice.series[1].points.front().y);
    const auto gaps = std::count_if(choice.series[0].points.begin(), choice.series[0].points.end(),
                                    [](const FigurePoint& point) { return std::isnan(point.y); });
    QCOMPARE(gaps, 2);
  }

  void measuredGoodputStandsBesideThePrediction() {
    const FigureData& over = figure("Goodput over replicas");
    const FigureSeries &predicted = over.series.front(), &measured = over.series.back();
    QCOMPARE(predicted.points.size(), 8u);
    QCOMPARE(measured.points.size(), 3u);
    QCOMPARE(measured.points[0].x, 2.0);
    QCOMPARE(measured.points[2].x, 8.0);
    QVERIFY(predicted.name != measured.name && predicted.mark != measured.mark);
    QVERIFY(measured.points[1].text.contains(QStringLiteral("measured")));
  }

  // The promises end at the devices that the machine has.
  void theDevicesAreMarked() {
    protocol::Model small = *model();
    small.devices = 3;
    const auto moments = common::momentsOf(series(), 60);
    const FigureData over = common::goodputOverReplicas(&small, moments);
    QCOMPARE(over.notes[0].x, 3.5);
    QCOMPARE(over.notes[0].text, QStringLiteral("3 devices"));
    QVERIFY(over.series[0].points[6].y < 1.02 * over.series[0].points[2].y);
    QVERIFY(over.series[0].points[6].text.contains(QStringLiteral("share 3 devices")));
    QCOMPARE(common::goodputMap(&small, moments, {}).notes[0].y, 3.5);
  }

  void restartsHaveTheirPartsInOrder() {
    const FigureData restarts = common::restartParts(&series());
    QCOMPARE(restarts.barTexts.size(), 2u);
    for (std::size_t part = 0; part < common::kPauseParts.size(); ++part)
      QCOMPARE(restarts.bars[part].name, common::pausePartText(part));
    QCOMPARE(restarts.bars[2].values, (std::vector<double>{0.031, 0.031}));
    QCOMPARE(common::repeatedBefore(series(), 1).steps, 0);
    QCOMPARE(common::repeatedBefore(series(), 2).steps, kSteps / 10);
    // A tenth of the steps of the generation, at 48 ms each.
    const double seconds = common::repeatedBefore(series(), 2).seconds;
    QVERIFY(seconds > 0.03 * kSteps / 10 && seconds < 0.06 * kSteps / 10);
    QCOMPARE(restarts.notes[0].text, common::formatPause(0.072));
    QVERIFY(restarts.notes[1].text.contains(QStringLiteral("120 steps done again")));
    QVERIFY(restarts.barTexts[1].contains(QStringLiteral("120 steps done again")));
  }

  // Generation 2 died before its first step; the next one did again what others had done.
  void stepsDoneAgainAreCountedOnce() {
    const std::filesystem::path file = store_.path(QStringLiteral("died.db")).toStdString();
    std::vector<storage::Generation> rows;
    double time = 1000;
    {
      storage::SampleWriter writer(file);
      for (const auto& [first, last] : std::vector<std::pair<std::int64_t, std::int64_t>>{
               {1, 100}, {101, 150}, {0, -1}, {61, 160}, {160, 200}}) {
        storage::Generation row;
        row.number = static_cast<int>(rows.size());
        row.replicas = 2;
        row.pause = row.number > 0 ? 0.5 : -1;
        row.first_step = first;
        row.last_step = last;
        for (std::int64_t step = first; step <= last; ++step)
          writer.append(row.number, "time", step, time += 1);
        rows.push_back(row);
      }
      writer.commit();
    }
    SeriesModel model(file);
    QVERIFY(model.refresh(rows));
    QCOMPARE(common::repeatedBefore(model, 1).steps, 0);
    QCOMPARE(common::repeatedBefore(model, 2).steps, 0);
    QCOMPARE(common::repeatedBefore(model, 3).steps, 40 + 50);
    QVERIFY(std::abs(common::repeatedBefore(model, 3).seconds - (40 + 49)) < 1.5);
    QCOMPARE(common::repeatedBefore(model, 4).steps, 1);
    const FigureData restarts = common::restartParts(&model);
    QCOMPARE(restarts.barTexts.size(), 4u);
    QVERIFY(restarts.barTexts[2].contains(QStringLiteral("90 steps done again")));
    QVERIFY(restarts.barTexts[3].contains(QStringLiteral("1 step done again")));
    QVERIFY(!restarts.barTexts[1].contains(QStringLiteral("done again")));
  }

  // Unknown moments have a look of their own, and are not shaded.
  void whatIsNotKnownIsNotShaded() {
    auto moments = common::momentsOf(series(), 60);
    moments[3].seconds = moments.back().seconds = std::nan("");
    const FigureData rates = common::rateOverBatch(moments);
    for (const FigureSeries& each : rates.series)
      for (const double strength : each.strengths) QVERIFY(strength >= 0 && strength <= 1);
    const auto undated =
        std::ranges::find(rates.series, QStringLiteral("time not known"), &FigureSeries::name);
    QVERIFY(undated != rates.series.end());
    QCOMPARE(undated->ink.token, Ink::Faint);
    QVERIFY(undated->strengths.empty());
    protocol::Model broken = *model();
    broken.perf->beta_c = std::nan("");
    const FigureData map = common::goodputMap(&broken, moments, {});
    for (const FigureCell& cell : map.cells) QVERIFY(cell.ink.alpha >= 0 && cell.ink.alpha <= 1);
  }

  // Figures are saved as tables: a row of as many cells as there are names.
  void everyFigureHasItsNumbers() {
    for (const FigureCard* card : page().cards()) {
      const FigureTable& table = card->figure()->data().table;
      QVERIFY2(table.columns.size() > 2 && table.rows.size() > 1, qPrintable(card->title()));
      for (const auto& row : table.rows) QCOMPARE(row.size(), table.columns.size());
    }
    const FigureTable& restarts = figure("What each restart cost").table;
    const auto again = std::ranges::find(restarts.columns, "steps_done_again") - restarts.columns.begin();
    QVERIFY(restarts.rows[1][static_cast<std::size_t>(again)] == FigureTable::Cell(double(kSteps / 10)));
  }

  void restartsAreListedWithWhatWasExpectedOfThem() {
    QCOMPARE(figure("Restarts: predicted and obtained").series.size(), 2u);
    std::vector<storage::Generation> generations(4);  // nothing is predicted of the first
    for (int i = 1; i < 4; ++i) {
      storage::Generation& generation = generations[static_cast<std::size_t>(i)];
      generation.number = i;
      generation.replicas = 2;
      generation.predicted_goodput = 12'000;
      generation.predicted_error = 0.2;
      if (i < 3) generation.obtained_goodput = i == 1 ? 12'500 : 6'000;
    }
    const FigureData data = common::predictedAndObtained(generations);
    QCOMPARE(data.series.size(), 3u);
    QCOMPARE(data.series[0].points.size(), 3u);  // predicted
    QCOMPARE(data.series[1].points.size(), 1u);  // obtained as expected
    QCOMPARE(data.series[2].name, QStringLiteral("unexpected"));
    QCOMPARE(data.series[2].points.front().y, 6'000.0);
    QCOMPARE(data.cells.size(), 3u);
    QCOMPARE(data.cells.front().box.top(), 10'000.0);
    QCOMPARE(data.cells.front().box.bottom(), 14'400.0);
    QCOMPARE(data.series[0].points[1].text,
             QStringLiteral("Restart 2, ×2\npredicted goodput 12,000 samples/s\nexpected 10,000 to 14,400\n"
                            "obtained 6,000 (−50 %)"));
    QVERIFY(data.series[0].points[2].text.endsWith(QStringLiteral("obtained not yet")));
    QVERIFY(data.description.startsWith(QStringLiteral("2 measured")));
    QVERIFY(common::predictedAndObtained({}).isEmpty());
  }

  void lanesAddUpToTheTime() {
    const auto slices = common::slicesOf(series(), 100);
    QVERIFY(slices.size() > 90 && slices.size() < 110);
    double lost = 0;
    for (const common::Slice& slice : slices) {
      QVERIFY(slice.to > slice.from && slice.compute > 0 && slice.sync > 0);
      QVERIFY(slice.compute + slice.sync > 0.98 && slice.compute + slice.sync <= 1.0 + 1e-9);
      lost += slice.isLost ? slice.to - slice.from : 0;
    }
    QVERIFY(std::abs(lost / common::repeatedBefore(series(), 2).seconds - 1) < 0.4);
    const FigureData lanes = common::replicaLanes(slices);
    QCOMPARE(lanes.left.high, std::optional(8.0));
    // Pauses are as long as they are told to be elsewhere.
    std::vector<double> pauses;
    for (const FigureCell& cell : lanes.cells)
      if (cell.box.height() == 0) pauses.push_back(cell.box.width());
    QCOMPARE(pauses.size(), 2u);
    QVERIFY(std::abs(pauses[0] - 0.072) < 1e-3 && std::abs(pauses[1] - 0.064) < 1e-3);
  }

  void theRateStandsBesideTheRules() {
    const FigureData& rates = figure("Learning rate over batch size");
    QCOMPARE(rates.series.size(), 3u);
    const FigureSeries &linear = rates.series[0], &dots = rates.series[2];
    QCOMPARE(dots.points.size(), dots.strengths.size());
    QCOMPARE(linear.points[1].y / linear.points[0].y, linear.points[1].x / linear.points[0].x);
    QVERIFY(dots.points.back().y < linear.points[1].y);  // AdaScale stays below it
  }

  void targetsAreReached() {
    const auto run = [](const char* name, std::vector<double> accuracies) {
      common::QualityRun run{QLatin1String(name), {Ink::Run, name[0] - 'a'}, {}};
      double epoch = 0;
      for (const double accuracy : accuracies) {
        ++epoch;
        run.points.push_back({1000 * epoch, 10 * epoch, epoch, accuracy});
      }
      return run;
    };
    const auto quick = run("a", {0.5, 0.8, 0.9}), slow = run("b", {0.4, 0.5, 0.7, 0.8});
    const FigureData both = common::timeToTarget({quick, slow});
    // The highest that both reached is 80 %; the first stands on top.
    QCOMPARE(both.left.ticks.back().label, QStringLiteral("a"));
    QCOMPARE(both.bars.size(), 2u);
    QCOMPARE(both.bars[0].values, (std::vector<double>{40, 0}));
    QCOMPARE(both.bars[1].values, (std::vector<double>{0, 20}));
    const FigureData one = common::timeToTarget({quick});
    QCOMPARE(one.bars.size(), 1u);
    QCOMPARE(one.bars[0].values, (std::vector<double>{20, 30, 30, 30, 30}));
    const FigureData over = common::accuracyOver(common::Cost::Samples, {quick, slow});
    QCOMPARE(over.series[1].points[2].x, 3000.0);
    QCOMPARE(over.series[1].points[2].y, 70.0);
    QCOMPARE(over.series[1].name, QStringLiteral("b"));
  }

  void whatIsMissingIsSaid() {
    for (const FigureData& data :
         {common::goodputMap(nullptr, {}, {}), common::batchChoice(nullptr, {}),
          common::goodputOverReplicas(nullptr, {}), common::rateOverBatch({}), common::restartParts(nullptr),
          common::replicaLanes({}), common::accuracyOver(common::Cost::Epochs, {}),
          common::timeToTarget({})}) {
      QVERIFY(data.isEmpty());
      QVERIFY(!data.missing.isEmpty());
    }
  }

  void comparedRunsAreBesideOneAnother() {
    Comparison& comparison = *window_->comparison();
    for (const storage::Run& run : watcher_.runs()) comparison.choose(run.id, true);
    QTRY_COMPARE(figure("Accuracy by epoch").series.size(), 2u);
    QTRY_COMPARE(figure("Time to accuracy").barTexts.size(), 2u);
    window_->resize(1440, 1900);
    QTest::qWait(80);
    test::keepPicture(*window_, QStringLiteral("why-compared"));
    window_->resize(1440, 900);
    comparison.clear();
    QTRY_COMPARE(figure("Accuracy by epoch").series.size(), 1u);
  }

  void oneOfThePagesIsShown() {
    QTest::keyClick(window_.get(), Qt::Key_G);
    QVERIFY(!page().isVisible());
    QTest::keyClick(window_.get(), Qt::Key_W);
    QVERIFY(page().isVisible());
    QTest::keyClick(window_.get(), Qt::Key_W);
    QVERIFY(window_->dashboard()->isVisible());
    QTest::keyClick(window_.get(), Qt::Key_W);
  }

  void looksRight() {
    for (const QSize& size : {QSize(1440, 900), QSize(1280, 720), QSize(900, 600)}) {
      window_->resize(size);
      QTest::qWait(80);
      QCOMPARE(test::fault(*window_), QString());
      for (int i = 0; i < 4; ++i) {
        page().verticalScrollBar()->setValue(i * page().viewport()->height());
        test::keepPicture(*window_, QStringLiteral("why-%1-%2").arg(size.width()).arg(i));
      }
    }
    window_->resize(1440, 1900);
    for (const auto& [name, isDark, isColourBlind] :
         {std::tuple("light", false, false), {"dark", true, false}, {"blind", false, true}}) {
      applyTheme(isDark ? Theme::Mode::Dark : Theme::Mode::Light, isColourBlind);
      QTest::qWait(80);
      test::keepPicture(*window_, QStringLiteral("why-%1").arg(QLatin1String(name)));
    }
    applyTheme(Theme::Mode::Light);
  }

  // Drawing the page for a picture takes no news from the others. Last: the run has more from here on.
  void drawingTellsWhatIsNew() {
    {
      storage::SampleWriter writer(protocol::run_paths(window_->session()->run().id).samples);
      writer.append(2, "fresh", 3000, 1);
      writer.append(2, "time", 4000, storage::now());
      writer.commit();
    }
    QSignalSpy told(window_->session(), &RunSession::samplesChanged);
    page().draw();
    QCOMPARE(told.count(), 1);
  }
};

BATCHSCOPE_TEST(TestScaling)
#include "test_scaling.moc"
