// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs that are compared: chosen by mouse and by keyboard, drawn on the same charts in their colours on every
// x axis, each generation by itself; their values at the cross-hair, bands of groups, and in what they
// differ.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QListView>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "batchscope/common/charts.h"
#include "batchscope/protocol/series.h"
#include "compare/compared_series.h"
#include "compare/comparison_bar.h"
#include "compare/comparison_panel.h"
#include "compare/differences_panel.h"
#include "runs/run_model.h"
#include "session/comparison.h"
#include "test_case.h"
#include "visual_checks.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

constexpr std::size_t kLossLine = 0;

std::size_t lossChart() {
  const auto charts = common::runCharts();
  return static_cast<std::size_t>(std::ranges::find(charts, "loss", &common::ChartSpec::name) -
                                  charts.begin());
}

double rightEnd(const SceneLine& line) {
  double right = 0;
  for (const ScenePiece& piece : line.pieces)
    for (const QPolygonF& polyline : piece.ink.raw) right = std::max(right, polyline.last().x());
  return right;
}

}  // namespace

class TestComparison : public test::WindowTest {
  Q_OBJECT

  std::string alone_;
  std::vector<std::string> seeds_;  // of one group, the last is twice as long

  const ChartScene& scene(std::size_t chart = lossChart()) const { return plotAt(chart)->painter().scene(); }
  const SceneLine* line(std::size_t run, std::size_t spec = kLossLine) const {
    for (const SceneLine& line : scene().lines)
      if (line.run == run && line.spec == spec) return &line;
    return nullptr;
  }
  QTableView* table(const char* name) const {
    return window_->findChild<QTableView*>(QString::fromLatin1(name));
  }
  // Waits until the charts have drawn so many runs.
  void awaitRuns(std::size_t count) {
    QTRY_VERIFY(line(count - 1) != nullptr && rightEnd(*line(count - 1)) > 0);
  }

 private Q_SLOTS:
  void initTestCase() {
    test::SyntheticOptions options{.stepsPerGeneration = 200, .group = "seeds"};
    for (unsigned seed = 1; seed <= 3; ++seed) {
      options.name = "digits-seed-" + std::to_string(seed);
      options.seed = seed;
      options.loss = seed;
      if (seed == 3) options.stepsPerGeneration = 400;
      seeds_.push_back(test::writeSyntheticRun(catalogue_, options));
    }
    catalogue_.put_hyperparameters(seeds_[1], {{"lr", "0.1"}});
    alone_ = test::writeSyntheticRun(catalogue_, {.name = "digits-alone", .stepsPerGeneration = 200});
    showWindow();
    QTRY_VERIFY(window_->session()->isOpen());
    QCOMPARE(window_->session()->run().id, alone_);
    window_->view()->setAxis(XAxis::Step, window_->session()->series());
    window_->view()->setSmoothing(0);
  }

  void aRunIsChosenByMouseAndByKeyboard() {
    auto* list = window_->findChild<QListView*>(QStringLiteral("runList"));
    const auto place = [list](const std::string& id) {
      const auto found = list->model()->match(list->model()->index(0, 0), RunModel::IdRole,
                                              QString::fromStdString(id), 1, Qt::MatchExactly);
      return list->visualRect(found.value(0)).center();
    };
    QTest::mouseClick(list->viewport(), Qt::LeftButton, Qt::ControlModifier, place(seeds_[0]));
    QCOMPARE(window_->session()->run().id, alone_);  // it is not opened by that
    awaitRuns(2);
    QVERIFY(window_->findChild<ComparisonBar*>()->isVisible());
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, place(seeds_[2]));
    QTest::keyClick(list, Qt::Key_Space);
    QCOMPARE(window_->comparison()->chosenCount(), 2u);
    QCOMPARE(window_->session()->run().id, seeds_[2]);
    window_->openRun(alone_);
    awaitRuns(3);
    test::keepPicture(*window_, QStringLiteral("compare-light"));
    // In the other palette the runs bear marks, in the legend too.
    const auto legend = [this] {
      return window_->findChild<ComparisonBar*>()->grab(QRect(0, 0, 120, 30)).toImage();
    };
    const QImage plain = legend();
    applyTheme(Theme::Mode::Light, true);
    QTRY_VERIFY(legend() != plain);
    test::keepPicture(*window_, QStringLiteral("compare-blind"));
    applyTheme(Theme::Mode::Light);
    QTRY_VERIFY(legend() == plain);
  }

  void theirLinesAreTheirSamplesInTheirColours() {
    // The run that lies above the others.
    storage::SampleReader reader(protocol::run_paths(seeds_[2]).samples);
    const SceneLine& drawn = *line(2);
    QCOMPARE(drawn.colour, *window_->comparison()->colourOf(seeds_[2]));
    const QImage picture = plotAt(lossChart())->grab().toImage();
    const QColor colour = Theme::current().run(drawn.colour);
    int seen = 0;
    for (const auto& sample : reader.read(protocol::series::kLoss, 1)) {
      const double x = scene().left.px(static_cast<double>(sample.step));
      const double y = scene().left.py(sample.value);
      const auto at = drawn.yAt(1, x);
      if (!at || !scene().left.plot.contains(x, y)) continue;
      // The point is among the column's lowest and highest values.
      bool isDrawn = false;
      for (const ScenePiece& piece : drawn.pieces)
        for (const QPolygonF& polyline : piece.ink.raw)
          for (const QPointF& point : polyline)
            isDrawn = isDrawn || (std::abs(point.x() - x) <= 1.5 && std::abs(point.y() - y) <= 1);
      const QColor ink = picture.pixelColor(QPointF(x, *at).toPoint());
      const int distance = std::abs(ink.red() - colour.red()) + std::abs(ink.green() - colour.green()) +
                           std::abs(ink.blue() - colour.blue());
      if (isDrawn && distance < 120) ++seen;
    }
    QVERIFY2(seen > 40, qPrintable(QString::number(seen)));
  }

  void noLineCrossesARestart() {
    for (const std::size_t run : {0u, 1u, 2u}) {
      std::set<int> generations;
      for (const ScenePiece& piece : line(run)->pieces) generations.insert(piece.generation);
      QCOMPARE(generations.size(), 3u);
    }
  }

  void everyAxisShowsAllOfThem() {
    for (const XAxis axis : kXAxes) {
      window_->view()->setAxis(axis, window_->session()->series());
      plotAt(lossChart())->repaint();
      awaitRuns(3);
      // The longest run reaches the right edge, the others do not.
      const double edge = scene().left.plot.right();
      QVERIFY2(std::abs(rightEnd(*line(2)) - edge) < 4, qPrintable(xAxisName(axis)));
      QVERIFY(rightEnd(*line(0)) < edge - 20);
    }
    window_->view()->setAxis(XAxis::Step, window_->session()->series());
  }

  void theTableNamesTheRunsAndTheirValues() {
    QTest::keyClick(window_.get(), Qt::Key_V);
    QTableView* values = table("comparisonTable");
    QTRY_VERIFY(values->isVisible());
    QCOMPARE(values->model()->rowCount(), 3);
    window_->view()->setCursor(StepRef{1, 300});
    QVERIFY(values->model()->headerData(0, Qt::Horizontal).toString().contains(QStringLiteral("300")));
    storage::SampleReader reader(protocol::run_paths(seeds_[0]).samples);
    const double loss = reader.read(protocol::series::kLoss, 1, 300, 300).front().value;
    QCOMPARE(values->model()->index(1, 0).data().toString(), QStringLiteral("digits-seed-1"));
    QVERIFY(std::abs(values->model()->index(1, 2).data().toString().toDouble() - loss) < 0.01 * loss);
    test::keepPicture(*window_, QStringLiteral("compare-values"));
  }

  void theCrossHairGoesBeyondTheOpenRun() {
    PlotView* plot = plotAt(lossChart());
    plot->repaint();
    const QRectF area = plot->plotArea();
    QTest::mouseMove(plot, QPoint(qRound(area.right()) - 10, qRound(area.center().y())));
    QTableView* values = table("comparisonTable");
    QTRY_COMPARE(values->model()->index(0, 2).data().toString(), QStringLiteral("–"));
    QVERIFY(values->model()->index(2, 2).data().toString() != QStringLiteral("–"));
    window_->view()->setCursor({});
    QVERIFY(values->model()->index(0, 2).data().toString() != QStringLiteral("–"));
  }

  void aGroupIsAMedianWithABand() {
    window_->view()->setLogY(false);
    window_->comparison()->choose(seeds_);
    awaitRuns(4);
    const double x = scene().left.px(150);
    std::vector<double> heights;
    for (const std::size_t run : {1u, 2u, 3u}) heights.push_back(*line(run)->yAt(std::nullopt, x));
    std::sort(heights.begin(), heights.end());
    QTest::keyClick(window_.get(), Qt::Key_B);
    const auto isBundled = [this] {
      return std::any_of(scene().lines.begin(), scene().lines.end(),
                         [](const SceneLine& l) { return l.spec == kLossLine && !l.bands.empty(); });
    };
    QTRY_VERIFY(isBundled());
    int ofLoss = 0;
    for (const SceneLine& drawn : scene().lines) {
      if (drawn.spec != kLossLine) continue;
      ++ofLoss;
      if (drawn.bands.empty()) continue;
      QVERIFY(std::abs(*drawn.yAt(std::nullopt, x) - heights[1]) < 3);
      double top = 1e9, bottom = 0;
      for (const QPointF& point : drawn.bands.front()) {
        if (std::abs(point.x() - x) > 1) continue;
        top = std::min(top, point.y());
        bottom = std::max(bottom, point.y());
      }
      // As near as a pixel beside x, where the lines are noise.
      QVERIFY(std::abs(top - heights[0]) < 12 && std::abs(bottom - heights[2]) < 12);
    }
    QCOMPARE(ofLoss, 2);  // the group, and the run that is in none
    test::keepPicture(*window_, QStringLiteral("compare-groups"));
    applyTheme(Theme::Mode::Dark);
    QTest::qWait(50);
    test::keepPicture(*window_, QStringLiteral("compare-groups-dark"));
    applyTheme(Theme::Mode::Light);
    QTest::keyClick(window_.get(), Qt::Key_B);
    QTRY_VERIFY(!isBundled());
  }

  void theDifferencesAreListed() {
    QTest::keyClick(window_.get(), Qt::Key_D, Qt::ShiftModifier);
    QTableView* differences = table("differencesTable");
    QTRY_VERIFY(differences->isVisible());
    const auto rowOf = [differences](const QString& name) {
      for (int row = 0; row < differences->model()->rowCount(); ++row)
        if (differences->model()->index(row, 1).data().toString() == name) return row;
      return -1;
    };
    QCOMPARE(differences->model()->columnCount(), 2 + 4);
    const int row = rowOf(QStringLiteral("lr"));
    QVERIFY(row >= 0);
    for (int column = 2; column < 6; ++column) {
      const bool isOther = differences->model()->headerData(column, Qt::Horizontal) == "digits-seed-2";
      QCOMPARE(differences->model()->index(row, column).data().toString(),
               isOther ? QStringLiteral("0.1") : QStringLiteral("0.05"));
    }
    QCOMPARE(rowOf(QStringLiteral("scaling_rule")), -1);
    test::keepPicture(*window_, QStringLiteral("compare-differences"));
    auto* all = window_->findChild<DifferencesPanel*>()->findChild<QCheckBox*>();
    QTest::mouseClick(all, Qt::LeftButton, {}, QPoint(8, all->height() / 2));
    QVERIFY(rowOf(QStringLiteral("scaling_rule")) >= 0);
  }

  void nothingIsClipped() {
    for (const QSize& size : {QSize(1280, 800), QSize(1920, 1080), QSize(1440, 900)}) {
      window_->resize(size);
      for (const auto& [key, modifiers, panel] :
           {std::tuple(Qt::Key_V, Qt::NoModifier, "comparisonTable"),
            std::tuple(Qt::Key_D, Qt::ShiftModifier, "differencesTable")}) {
        QTest::keyClick(window_.get(), key, modifiers);
        QTRY_VERIFY(table(panel)->isVisible());
        test::keepPicture(*window_, QStringLiteral("%1-%2").arg(panel).arg(size.width()));
        QTRY_COMPARE(test::fault(*window_), QString());
      }
    }
  }

  void anotherRunOfThemIsOpenedFromTheLegend() {
    auto* bar = window_->findChild<ComparisonBar*>();
    QToolButton* chip = nullptr;
    for (QToolButton* button : bar->findChildren<QToolButton*>(QStringLiteral("runChip")))
      if (button->isVisible() && button->text() == QStringLiteral("digits-seed-2")) chip = button;
    QVERIFY(chip != nullptr);
    QTest::mouseClick(chip, Qt::LeftButton);
    QCOMPARE(window_->session()->run().id, seeds_[1]);
    awaitRuns(3);
    QTRY_VERIFY(line(3) == nullptr);  // the one that was only there because it was open is gone
  }

  void clearedThereIsOneRunAgain() {
    QTest::keyClick(window_.get(), Qt::Key_C, Qt::ShiftModifier);
    QVERIFY(!window_->comparison()->isActive());
    QVERIFY(!window_->findChild<ComparisonBar*>()->isVisible());
    QTRY_VERIFY(line(1) == nullptr);
    QCOMPARE(line(0)->colour, -1);
  }

  void theModelsKeepTheRules() {
    RunSession session(&watcher_);
    ViewState view;
    Comparison comparison;
    ComparedSeries compared(&comparison, &session, &watcher_, &view);
    compared.want(ComparisonModel::series());
    ComparisonModel values(&compared, &view);
    QAbstractItemModelTester first(&values, QAbstractItemModelTester::FailureReportingMode::QtTest);
    session.open(alone_);
    comparison.choose(seeds_);
    QTRY_VERIFY(values.rowCount() == 4 && values.index(3, 2).data().toString() != QStringLiteral("–"));
    comparison.choose(seeds_[0], false);
    QCOMPARE(values.rowCount(), 3);

    DifferencesModel differences;
    QAbstractItemModelTester second(&differences, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const std::vector<storage::Run> runs{*catalogue_.run(seeds_[0]), *catalogue_.run(seeds_[1])};
    differences.setRuns(runs, {catalogue_.generations(seeds_[0]), catalogue_.generations(seeds_[1])}, true);
    QVERIFY(differences.rowCount() > 20);
    // The beginning that all values share is cut; the whole is a tool tip.
    auto longer = runs;
    for (std::size_t run = 0; run < longer.size(); ++run) {
      longer[run].spec.program = "/home/somebody/experiments/train";
      longer[run].spec.arguments = {"--seed", std::to_string(run)};
    }
    differences.setRuns(longer, {catalogue_.generations(seeds_[0]), catalogue_.generations(seeds_[1])},
                        false);
    bool isCut = false;
    for (int row = 0; row < differences.rowCount(); ++row) {
      const QModelIndex last = differences.index(row, 3);
      isCut = isCut || (last.data().toString() == QStringLiteral("…--seed 1") &&
                        last.data(Qt::ToolTipRole).toString() ==
                            QStringLiteral("/home/somebody/experiments/train --seed 1"));
    }
    QVERIFY(isCut);
    differences.setRuns({}, {}, false);
    QCOMPARE(differences.rowCount(), 0);
  }

  void coloursAreKeptAndManyAreTooMany() {
    Comparison comparison;
    QSignalSpy full(&comparison, &Comparison::full);
    comparison.setOpen("open");
    QVERIFY(!comparison.isActive());
    comparison.choose("a", true);
    comparison.choose("b", true);
    QCOMPARE(comparison.members().size(), 3u);
    const int colour = *comparison.colourOf("b");
    comparison.choose("a", false);
    QCOMPARE(*comparison.colourOf("b"), colour);
    comparison.choose("c", true);
    QVERIFY(*comparison.colourOf("c") != colour);
    for (std::size_t i = 0; i < Comparison::kMost; ++i) comparison.choose("run" + std::to_string(i), true);
    QVERIFY(!full.isEmpty());
    QVERIFY(comparison.members().size() <= Comparison::kMost);
    comparison.keep({"b"});  // the others have been removed
    QCOMPARE(comparison.members().size(), 2u);
    QVERIFY(comparison.isChosen("b") && !comparison.isChosen("c"));
    comparison.keep({});
    QVERIFY(!comparison.isActive());
  }
};

BATCHSCOPE_TEST(TestComparison)
#include "test_comparison.moc"
