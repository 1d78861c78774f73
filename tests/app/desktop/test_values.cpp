// SPDX-License-Identifier: GPL-3.0-or-later
//
// The box beside the cross-hair: whose values it has, how they read, where it stands; and how lines look
// where they are drawn and named.
#include <set>

#include "batchscope/common/run_clock.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/samples.h"
#include "chart/values_box.h"
#include "test_case.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

// "name value", a row a line.
QStringList textOf(const ValuesBox& box) {
  QStringList rows;
  for (const ValuesBox::Row& row : box.rows) {
    QStringList cells{row.name};
    for (const QString& value : row.values) cells << value;
    rows << cells.join(QLatin1Char(' '));
  }
  return rows;
}

const common::ChartSpec kSpec{
    .title = {},
    .unit = {},
    .lines = {{.series = protocol::series::kBatchSize, .label = QStringLiteral("total")},
              {.series = protocol::series::kStepTime, .label = QStringLiteral("step"), .factor = 1000},
              {.series = protocol::series::kAccuracy,
               .label = QStringLiteral("accuracy"),
               .isSparse = true,
               .isRight = true}}};

}  // namespace

class TestValues : public test::WindowTest {
  Q_OBJECT

  // Steps 1 .. 100 and, from step 81 on again, 81 .. 200; accuracy at steps 50 and 150.
  std::unique_ptr<SeriesModel> model(const char* name) const {
    const std::filesystem::path file = store_.path(QString::fromLatin1(name)).toStdString();
    storage::SampleWriter writer(file);
    std::vector<storage::Generation> rows(2);
    for (int g = 0; g < 2; ++g) {
      storage::Generation& row = rows[static_cast<std::size_t>(g)];
      row.number = g;
      row.replicas = 2;
      row.first_step = g == 0 ? 1 : 81;
      row.last_step = g == 0 ? 100 : 200;
      if (g == 0) row.started = 998;
      for (std::int64_t step = row.first_step; step <= row.last_step; ++step) {
        const auto at = static_cast<double>(step);
        writer.append(g, "time", step, 1000 + at + 30 * g);
        writer.append(g, protocol::series::kBatchSize, step, 64 * (g + 1));
        if (step >= 20) writer.append(g, protocol::series::kStepTime, step, 0.001 * at);
      }
      writer.append(g, protocol::series::kAccuracy, g == 0 ? 50 : 150, g == 0 ? 0.5 : 0.9);
    }
    writer.commit();
    auto model = std::make_unique<SeriesModel>(file);
    model->want(kSpec.series());
    model->refresh(rows);
    return model;
  }

 private Q_SLOTS:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

  void theNewestValuesAtTheStep_data() {
    QTest::addColumn<int>("generation");
    QTest::addColumn<int>("step");
    QTest::addColumn<QStringList>("rows");
    QTest::newRow("before the first of one") << 0 << 10 << QStringList{"total 64 samples"};
    QTest::newRow("before an epoch's end") << 0 << 30 << QStringList{"total 64 samples", "step 30 ms"};
    QTest::newRow("between two epochs' ends")
        << 0 << 60 << QStringList{"total 64 samples", "step 60 ms", "accuracy 0.500"};
    QTest::newRow("after a restart") << 1 << 90
                                     << QStringList{"total 128 samples", "step 90 ms", "accuracy 0.500"};
    QTest::newRow("at the newest") << 1 << 200
                                   << QStringList{"total 128 samples", "step 200 ms", "accuracy 0.900"};
  }
  void theNewestValuesAtTheStep() {
    QFETCH(int, generation);
    QFETCH(int, step);
    const auto series = model("values.db");
    const ValuesBox box =
        valuesAt(*series, kSpec, {.axis = XAxis::Step, .at = {generation, step}}, Theme::light());
    QTEST(textOf(box), "rows");
    QCOMPARE(box.head, QStringLiteral("Step %1").arg(step));
  }

  void hiddenLinesAreNotThere() {
    const auto series = model("hidden.db");
    const ValuesBox box =
        valuesAt(*series, kSpec, {.axis = XAxis::Step, .at = {1, 160}, .isHidden = {true, false, true}},
                 Theme::light());
    QCOMPARE(textOf(box), QStringList{"step 160 ms"});
  }

  void theHeadIsOfTheAxis_data() {
    QTest::addColumn<int>("axis");
    QTest::addColumn<QString>("head");
    QTest::newRow("time") << static_cast<int>(XAxis::WallTime) << "1:02, step 60";
    QTest::newRow("samples") << static_cast<int>(XAxis::Samples) << "62 samples, step 60";
    QTest::newRow("step") << static_cast<int>(XAxis::Step) << "Step 60";
  }
  void theHeadIsOfTheAxis() {
    QFETCH(int, axis);
    const auto series = model("head.db");
    QTEST(valuesAt(*series, kSpec, {.axis = static_cast<XAxis>(axis), .at = {0, 60}, .x = 62}, Theme::light())
              .head,
          "head");
  }

  void comparedRunsAreRows() {
    const auto one = model("one.db"), other = model("other.db");
    const std::vector<SceneRun> runs{{one.get(), 0, {}, QStringLiteral("one")},
                                     {other.get(), 1, {}, QStringLiteral("other")}};
    const ValuesBox box =
        valuesAt(*one, kSpec, {.axis = XAxis::Step, .at = {1, 160}, .x = 160, .runs = runs}, Theme::light());
    QCOMPARE(box.columns.size(), 3u);
    QCOMPARE(textOf(box), (QStringList{"one 128 160 0.900", "other 128 160 0.900"}));
    // A run that ended before has no values there.
    const ValuesBox beyond =
        valuesAt(*one, kSpec, {.axis = XAxis::Step, .at = {1, 200}, .x = 300, .runs = runs}, Theme::light());
    QVERIFY(beyond.rows.empty());
  }

  void stepsSinceTheLaunch() {
    const auto series = model("clock.db");
    storage::Run run;
    run.created = 990;
    storage::Generation first;
    QCOMPARE(common::clockOrigin(run, {}), 990.0);
    QCOMPARE(common::clockOrigin(run, {first}), 990.0);
    first.started = 998;
    QCOMPARE(common::clockOrigin(run, {first}), 998.0);
    // The first step took until 1001.
    QCOMPARE(*series->position(XAxis::WallTime, {0, 1}), 3.0);
    QCOMPARE(series->extent(XAxis::WallTime).low, 0.0);
    QCOMPARE(*series->position(XAxis::ActiveTime, {0, 1}), 0.0);
  }

  void theBoxStandsBesideTheCrossHair_data() {
    QTest::addColumn<double>("x");
    QTest::addColumn<double>("y");
    for (const double x : {0.0, 5.0, 150.0, 220.0, 295.0, 300.0})
      for (const double y : {0.0, 60.0, 120.0}) QTest::addRow("%g %g", x, y) << x << y;
  }
  void theBoxStandsBesideTheCrossHair() {
    QFETCH(double, x);
    QFETCH(double, y);
    const QRectF bounds(0, 0, 300, 120);
    const QRectF box = placeOf({110, 70}, bounds, x, y);
    QVERIFY(bounds.contains(box));
    QVERIFY(box.left() > x + 4 || box.right() < x - 4);
  }

  void inTheChartUnderThePointerOrInAllOfThem() {
    test::writeSyntheticRun(catalogue_);
    showWindow();
    test::awaitDrawn(*window_);
    PlotView* gain = plotAt(0);
    QVERIFY(gain->values().rows.empty());
    QTest::mouseMove(gain, gain->plotArea().center().toPoint());
    QTRY_VERIFY(!gain->values().rows.empty());
    QVERIFY(plotAt(1)->values().rows.empty());
    test::keepPicture(*window_, QStringLiteral("values-pointer"));
    window_->view()->setPointed(false);
    QVERIFY(!plotAt(1)->values().rows.empty());
    for (const QString& row : textOf(plotAt(1)->values())) QVERIFY(!row.contains(QLatin1String("nan")));
    test::keepPicture(*window_, QStringLiteral("values-keys"));
    window_->view()->setCursor({});
    QVERIFY(gain->values().rows.empty());
  }

  // In the palette for the colour-blind no line has another's strokes.
  void strokesTellLinesApart() {
    std::vector<common::ChartSpec> charts = common::runCharts();
    charts.push_back(common::scalingRulesChart());
    charts.push_back(common::noiseChart());
    for (const common::ChartSpec& chart : charts) {
      std::set<QString> strokes, markers;
      std::size_t lines = 0;
      for (std::size_t i = 0; i < chart.lines.size(); ++i) {
        if (chart.lines[i].isBound) continue;
        ++lines;
        const LineLook look = lookOf(chart, i, Theme::of(false, true));
        QString pattern;
        for (const double stroke : look.strokes) pattern += QString::number(stroke) + QLatin1Char(' ');
        strokes.insert(pattern);
        QVERIFY(chart.lines[i].isDashed || lookOf(chart, i, Theme::light()).strokes.empty());
      }
      QCOMPARE(strokes.size(), lines);
    }
  }
};

BATCHSCOPE_TEST(TestValues)
#include "test_values.moc"
