// SPDX-License-Identifier: GPL-3.0-or-later
//
// Decimation of samples to pixels: nothing is lost that a person would see, nothing is drawn where it is not.
#include <cmath>
#include <limits>
#include <random>

#include "batchscope/protocol/json.h"
#include "scene/decimate.h"
#include "scene/value_range.h"
#include "series/track.h"
#include "test_case.h"
#include "text_files.h"

using namespace batchscope::desktop;
using batchscope::protocol::Json;

namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

Projection projection(double x1, double y1) {
  Projection p;
  p.plot = QRectF(40, 10, 300, 100);
  p.x1 = x1;
  p.y1 = y1;
  return p;
}

Polylines drawn(const Track& track, const Projection& p, double smoothing) {
  return decimate(columnsOf(track.buckets(), ColumnSteps({}, p), 1), p, smoothing);
}

}  // namespace

class TestDecimate : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void fewSamplesStandWhereTheyBelong() {
    Track track;
    for (int step = 0; step <= 10; ++step) track.append(step * 10, step * step);
    const Projection p = projection(100, 100);
    const Polylines lines = drawn(track, p, 0);
    QCOMPARE(lines.raw.size(), 1u);
    QCOMPARE(lines.raw[0].size(), 11);
    for (int i = 0; i <= 10; ++i) {
      QVERIFY(std::abs(lines.raw[0][i].x() - (40 + 30.0 * i)) < 1);
      QVERIFY(std::abs(lines.raw[0][i].y() - (110 - i * i)) < 1);
    }
  }

  void everyColumnKeepsItsExtremes() {
    std::mt19937 random(1);
    std::normal_distribution<double> noise(50, 5);
    Track track(1 << 20);
    std::vector<double> low(300, 1e9), high(300, -1e9);
    const int count = 60'000;
    for (int step = 0; step < count; ++step) {
      const double value = step == 31'415 ? 99.0 : step == 27'182 ? 1.0 : noise(random);
      const auto column = static_cast<std::size_t>(std::floor(300.0 * step / count));
      low[column] = std::min(low[column], value);
      high[column] = std::max(high[column], value);
      track.append(step, value);
    }
    const Projection p = projection(count, 100);
    const Polylines lines = drawn(track, p, 0);
    QCOMPARE(lines.samples, count);
    QVERIFY(lines.points <= 2 * 300);
    std::vector<double> top(300, 1e9), bottom(300, -1e9);
    for (const QPointF& point : lines.raw.at(0)) {
      const auto column = static_cast<std::size_t>(point.x() - 40);
      top[column] = std::min(top[column], point.y());
      bottom[column] = std::max(bottom[column], point.y());
    }
    for (std::size_t i = 0; i < 300; ++i) {
      QVERIFY(std::abs(top[i] - p.py(high[i])) < 1e-6);
      QVERIFY(std::abs(bottom[i] - p.py(low[i])) < 1e-6);
    }
  }

  void boundedTracksKeepExtremesToo() {
    Track track(512);
    for (int step = 1; step <= 1'000'000; ++step)
      track.append(step, step == 654'321 ? 7.0 : std::sin(step * 1e-4));
    QVERIFY(track.buckets().size() <= 512);
    QCOMPARE(track.sampleCount(), 1'000'000);
    QCOMPARE(track.firstStep(), 1);
    QCOMPARE(track.nextStep(), 1'000'001);
    double highest = 0;
    std::int64_t count = 0, next = 1;
    for (const Bucket& bucket : track.buckets()) {
      QCOMPARE(bucket.first_step, next);
      next = bucket.last_step + 1;
      count += bucket.count;
      highest = std::max(highest, bucket.max);
      QVERIFY(bucket.last_step - bucket.first_step + 1 <= track.resolution());
    }
    QCOMPARE(count, 1'000'000);
    QCOMPARE(highest, 7.0);
  }

  void notANumberBreaksTheLine() {
    Track track;
    for (int step = 0; step < 20; ++step) track.append(step, step == 10 ? kNan : 5.0);
    const Polylines lines = drawn(track, projection(20, 10), 0.5);
    QCOMPARE(lines.raw.size(), 2u);
    QCOMPARE(lines.raw[0].size() + lines.raw[1].size(), 19);
    for (const QPolygonF& line : lines.smooth) {
      for (const QPointF& point : line) QVERIFY(std::abs(point.y() - 60) < 1e-6);
    }
  }

  void bucketsWithoutAFiniteValueMergeToWhatIsThere() {
    const Bucket nothing{1, 1, 1, kNan, kNan, kNan}, something{2, 2, 1, 3, 3, 3};
    QCOMPARE(merged(nothing, something).mean, 3.0);
    QCOMPARE(merged(something, nothing).max, 3.0);
    QVERIFY(std::isnan(merged(nothing, nothing).mean));
  }

  void smoothingIsDebiasedAndSmooths() {
    Track track;
    for (int step = 0; step < 300; ++step) track.append(step, step % 2 == 0 ? 40 : 60);
    const Projection p = projection(300, 100);
    const Polylines lines = drawn(track, p, 0.9);
    // The average begins at the first point among the values; it does not climb up from zero.
    QCOMPARE(lines.smooth.at(0).first().y(), p.py(40));
    for (const QPointF& point : lines.smooth[0].mid(60)) QVERIFY(std::abs(point.y() - p.py(50)) < 3);
  }

  void missingSamplesAreAHole_data() {
    QTest::addColumn<int>("missing");
    QTest::addColumn<bool>("isSteps");
    QTest::addColumn<int>("lines");
    QTest::newRow("none") << 0 << false << 1;
    QTest::newRow("a few") << 2 << false << 1;
    QTest::newRow("many") << 40 << false << 2;
    QTest::newRow("many, but a value holds") << 40 << true << 1;
  }
  void missingSamplesAreAHole() {
    QFETCH(int, missing);
    QFETCH(bool, isSteps);
    Track track;
    for (int step = 0; step < 300; ++step)
      if (step < 100 || step >= 100 + missing) track.append(step, 5 + step % 2);
    const Projection p = projection(300, 10);
    std::vector<Column> columns = columnsOf(track.buckets(), ColumnSteps({}, p), 1);
    markHoles(columns, false);
    const Polylines lines = decimate(columns, p, 0.5, isSteps ? Join::Steps : Join::Straight);
    QCOMPARE(static_cast<int>(lines.raw.size()), [] {
      QFETCH(int, lines);
      return lines;
    }());
    if (!isSteps) QCOMPARE(lines.smooth.size(), lines.raw.size());
  }

  void aStepHoldsUntilTheNext() {
    Track track;
    for (int step = 0; step <= 10; ++step) track.append(step, step < 5 ? 2 : step == 7 ? 8 : 4);
    const Projection p = projection(10, 10);
    std::vector<Column> columns = columnsOf(track.buckets(), ColumnSteps({}, p), 1);
    const Polylines lines = decimate(columns, p, 0, Join::Steps);
    QCOMPARE(lines.raw.size(), 1u);
    const QPolygonF& line = lines.raw[0];
    // Only corners and ends, no wedge between them.
    QCOMPARE(line.size(), 8);
    for (qsizetype i = 1; i < line.size(); ++i)
      QVERIFY(line[i].x() == line[i - 1].x() || line[i].y() == line[i - 1].y());
    QCOMPARE(line[2], QPointF(p.px(5), p.py(4)));
  }

  void onALogarithmicAxisOnlyPositiveValuesHaveAPlace() {
    Projection p = projection(10, 100);
    p.log = true;
    p.y0 = 1;
    QCOMPARE(p.py(10), 60.0);
    QVERIFY(std::isnan(p.py(0)));
    Track track;
    for (int step = 0; step <= 10; ++step) track.append(step, step == 5 ? -1.0 : 10.0);
    const Polylines lines = drawn(track, p, 0);
    QCOMPARE(lines.points, 10);
  }

  void axesHoldTheValuesOfTheTable() {
    for (const Json& each : Json::parse(batchscope::testing::contents(RANGE_CASES))) {
      ValueRange range;
      std::vector<Column> columns;
      const auto add = [&](double value) { columns.push_back({.low = value, .high = value, .mean = value}); };
      for (int time = 0; time < each.value("times", 1); ++time)
        for (const double value : each["values"]) add(value);
      if (each.contains("last")) add(each["last"]);
      range.add(columns);
      if (each.contains("bound")) range.addBound(each["bound"]);
      const std::string name = each["name"];
      QVERIFY2(range.spansDecades() == each.value("spansDecades", false), name.c_str());
      const Json options = each.value("options", Json::object());
      const auto is = [&](const char* option) { return options.value(option, false); };
      const auto [low, high] = range.range({.isRobust = is("isRobust"),
                                            .isLog = is("isLog"),
                                            .isZoomed = is("isZoomed"),
                                            .isFromLowest = is("isFromLowest"),
                                            .base = options.value("base", 0.0)});
      const double expectedLow = each["range"][0], expectedHigh = each["range"][1];
      QVERIFY2(std::abs(low - expectedLow) < 1e-9 && std::abs(high - expectedHigh) < 1e-9,
               qPrintable(QStringLiteral("%1: %2 to %3").arg(name.c_str()).arg(low).arg(high)));
    }
  }
};

BATCHSCOPE_TEST(TestDecimate)
#include "test_decimate.moc"
