// SPDX-License-Identifier: GPL-3.0-or-later
//
// Noise as medians and bands: what quantiles come of samples and of summaries, that windows which are
// complete stay as they are, where the band is drawn and where it is not.
#include <cmath>
#include <random>

#include "batchscope/storage/samples.h"
#include "scene/noise_band.h"
#include "scene/scene_builder.h"
#include "series/noise_windows.h"
#include "temporary_store.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

constexpr double kSigma = 2, kTenth = 1.2816 * kSigma;  // of a normal distribution, from its middle

// Returns samples of a normal distribution around 10, in buckets of so many samples.
std::vector<Bucket> noisyBuckets(int samples, int bucketSize) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(10, kSigma);
  std::vector<Bucket> buckets;
  for (int step = 1; step <= samples; ++step) {
    const double value = noise(random);
    const Bucket one{step, step, 1, value, value, value};
    if ((step - 1) % bucketSize == 0) {
      buckets.push_back(one);
    } else {
      buckets.back() = merged(buckets.back(), one);
    }
  }
  return buckets;
}

// The steps 1 .. 4000 of one generation, a second each: a level of 5, from step 2001 on of 20, with noise,
// and one spike.
class NoisyRun {
 public:
  explicit NoisyRun(const std::filesystem::path& file) : writer_(file) {
    std::mt19937 random(5);
    std::normal_distribution<double> noise(0, 0.5);
    for (int step = 1; step <= 4000; ++step) {
      writer_.append(0, "time", step, 1000.0 + step);
      writer_.append(0, "low", step, 4);
      writer_.append(0, "high", step, 21);
      writer_.append(0, "loss", step, step == 1500 ? 900 : (step <= 2000 ? 5 : 20) + noise(random));
    }
    writer_.commit();
    model_ = std::make_unique<SeriesModel>(file);
    model_->want({"loss", "low", "high"});
    storage::Generation row;
    row.replicas = 2;
    row.first_step = 1;
    row.last_step = 4000;
    model_->refresh({row});
  }

  SeriesModel& model() { return *model_; }

  ChartScene scene(SceneOptions options) {
    if (options.range.empty()) options.range = model_->extent(XAxis::Step);
    common::ChartSpec spec;
    spec.lines = {{.series = "loss", .label = {}, .isSmoothed = true, .low = "low", .high = "high"}};
    return buildScene(*model_, spec, QRectF(0, 0, 400, 100), options);
  }

 private:
  storage::SampleWriter writer_;
  std::unique_ptr<SeriesModel> model_;
};

}  // namespace

class TestNoise : public QObject {
  Q_OBJECT

  test::TemporaryStore store_;

  std::filesystem::path file(const char* name) const {
    return store_.path(QString::fromLatin1(name)).toStdString();
  }

 private Q_SLOTS:
  void lengthsAreFew_data() {
    QTest::addColumn<double>("atLeast");
    QTest::addColumn<int>("length");
    for (const auto& [atLeast, length] : {std::pair(0.5, 1),
                                          {1.0, 1},
                                          {1.2, 2},
                                          {2.1, 3},
                                          {3.0, 3},
                                          {3.1, 4},
                                          {5.0, 6},
                                          {6.5, 8},
                                          {100.0, 128}})
      QTest::addRow("%g", atLeast) << atLeast << length;
  }
  void lengthsAreFew() {
    QFETCH(double, atLeast);
    QTEST(static_cast<int>(windowLength(atLeast)), "length");
  }

  // Exact where samples are known, and where they are summarised within a sixth of the deviation.
  void quantilesOfSamplesAndOfSummaries_data() {
    QTest::addColumn<int>("bucketSize");
    for (const int size : {1, 2, 3, 8, 64, 200}) QTest::addRow("%d", size) << size;
  }
  void quantilesOfSamplesAndOfSummaries() {
    QFETCH(int, bucketSize);
    const NoiseWindow window = noiseOf(noisyBuckets(6000, bucketSize));
    QCOMPARE(window.samples, 6000);
    QCOMPARE(window.isEstimate, bucketSize > 1);
    const double slack = kSigma / 6;
    QVERIFY(std::abs(window.middle - 10) < slack);
    QVERIFY2(std::abs(window.low - (10 - kTenth)) < slack, qPrintable(QString::number(window.low)));
    QVERIFY2(std::abs(window.high - (10 + kTenth)) < slack, qPrintable(QString::number(window.high)));
  }

  void nothingFiniteIsNoValue() {
    const double nan = std::nan("");
    QCOMPARE(noiseOf({}).samples, 0);
    const Bucket broken{1, 1, 1, nan, nan, nan};
    QCOMPARE(noiseOf(std::span(&broken, 1)).samples, 0);
  }

  void completeWindowsAreReadOnce() {
    const std::vector<Bucket> buckets = noisyBuckets(1000, 1);
    std::vector<std::pair<std::int64_t, std::int64_t>> reads;
    NoiseWindows noise;
    const auto view = [&](std::int64_t from, std::int64_t to) {
      return noise.view({"loss", 0, 1, 1'000'000, from, to}, 16, to,
                        [&](std::int64_t first, std::int64_t last, int) {
                          reads.emplace_back(first, last);
                          return std::span(buckets).subspan(
                              static_cast<std::size_t>(first - 1),
                              static_cast<std::size_t>(std::min<std::int64_t>(last, to) - first + 1));
                        });
    };
    const auto before = view(1, 500);
    QCOMPARE(before.size(), 32u);
    const NoiseWindow tenth = before[10];
    const auto after = view(1, 600);
    QCOMPARE(after.size(), 38u);
    QCOMPARE(after[10].middle, tenth.middle);
    // The last window was not complete; those before it were.
    QCOMPARE(reads.size(), 2u);
    QCOMPARE(reads[1].first, 1 + 31 * 16);
    // A pan to the left of what is kept reads anew, from a window's beginning.
    view(300, 400);
    QCOMPARE(reads.size(), 2u);
  }

  // Stretches that are looked at are kept, and of the others the newest.
  void theOldestWindowsGoFirst() {
    const std::vector<Bucket> buckets = noisyBuckets(64, 1);
    NoiseWindows noise;
    int reads = 0;
    const auto view = [&](int generation) {
      noise.view({"loss", generation, 1, 64, 1, 64}, 16, 64, [&](std::int64_t, std::int64_t, int) {
        ++reads;
        return std::span(buckets);
      });
    };
    const int most = NoiseWindows::kMostRuns;
    for (int generation = 0; generation < most; ++generation) view(generation);
    for (int generation = most; generation < most + 10; ++generation) {
      view(0);
      view(generation);
    }
    QCOMPARE(reads, most + 10);
    for (const int generation : {0, 11, most - 1, most + 9}) view(generation);
    QCOMPARE(reads, most + 10);
    view(1);
    QCOMPARE(reads, most + 11);
  }

  void crowdedStepsAreABand() {
    NoisyRun run(file("band.db"));
    const ChartScene scene = run.scene({.smoothing = 0.6});
    QVERIFY(scene.hasBands);
    QVERIFY(!scene.isEstimate);
    const ScenePiece& piece = scene.lines[0].pieces[0];
    QVERIFY(piece.ghost.empty());
    QCOMPARE(piece.ink.samples, 4000);
    // A spike of one step moves neither the line nor the scale.
    QVERIFY(scene.left.y1 < 50);
    // The level changes within two windows, and the line reaches both ends.
    const QPolygonF& line = piece.ink.raw.at(0);
    QVERIFY(std::abs(line.first().x() - scene.left.px(1)) < 1);
    QVERIFY(std::abs(line.last().x() - scene.left.px(4000)) < 1);
    for (const QPointF& point : line) {
      if (std::abs(point.x() - scene.left.px(2000)) < 10) continue;
      QVERIFY(std::abs(point.y() - scene.left.py(point.x() < 200 ? 5 : 20)) < 3);
    }
    // The band is a tenth on either side.
    const QRectF band = piece.bands.at(0).boundingRect();
    QVERIFY(std::abs(band.bottom() - scene.left.py(5 - 1.28 * 0.5)) < 4);
  }

  void whereItIsNoBand_data() {
    QTest::addColumn<double>("last");
    QTest::addColumn<double>("smoothing");
    QTest::addColumn<bool>("isWhole");
    QTest::addColumn<bool>("isBand");
    QTest::newRow("all of it") << 4000.0 << 0.6 << false << true;
    QTest::newRow("zoomed in") << 1000.0 << 0.6 << false << false;
    QTest::newRow("not smoothed") << 4000.0 << 0.0 << false << false;
    QTest::newRow("with every peak") << 4000.0 << 0.6 << true << false;
  }
  void whereItIsNoBand() {
    QFETCH(double, last);
    QFETCH(double, smoothing);
    QFETCH(bool, isWhole);
    NoisyRun run(file(QTest::currentDataTag()));
    const ChartScene scene =
        run.scene({.range = {1, last}, .smoothing = smoothing, .isZoomed = true, .isWhole = isWhole});
    QTEST(scene.hasBands, "isBand");
    // The faint line is the same series unsmoothed.
    const ScenePiece& piece = scene.lines[0].pieces[0];
    QCOMPARE(piece.ghost.size(), !scene.hasBands && smoothing > 0 ? piece.ink.raw.size() : 0u);
    if (isWhole) QVERIFY(scene.left.y1 > 900);
  }

  // Between two series of their own, drawn as the line is: by windows of noise, by columns, with every step.
  void anIntervalIsTheAreaBetweenTwoSeries_data() { whereItIsNoBand_data(); }
  void anIntervalIsTheAreaBetweenTwoSeries() {
    QFETCH(double, last);
    QFETCH(double, smoothing);
    QFETCH(bool, isWhole);
    NoisyRun run(file(qPrintable(QLatin1String("interval, ") + QTest::currentDataTag())));
    const ChartScene scene =
        run.scene({.range = {1, last}, .smoothing = smoothing, .isZoomed = true, .isWhole = isWhole});
    QCOMPARE(scene.lines[0].interval.size(), 1u);
    const QRectF box = scene.lines[0].interval[0].boundingRect();
    QVERIFY(std::abs(box.bottom() - scene.left.py(4)) < 0.1 && std::abs(box.top() - scene.left.py(21)) < 0.1);
    QVERIFY(std::abs(box.left() - scene.left.px(1)) < 1 && std::abs(box.right() - scene.left.px(last)) < 1);
  }

  void comparedRunsHaveNoBands() {
    NoisyRun run(file("compared.db"));
    const ChartScene scene = run.scene({.smoothing = 0.6, .runs = {{&run.model(), 0, {}, {}}}});
    QVERIFY(scene.lines[0].pieces[0].bands.empty());
    QVERIFY(scene.lines[0].interval.empty());
    QVERIFY(!scene.lines[0].pieces[0].ink.raw.empty());
  }

  void aHoleBreaksLineAndBand() {
    std::vector<NoiseWindow> windows;
    for (int i = 0; i < 40; ++i) {
      const std::int64_t first = 1 + 10 * i + (i >= 20 ? 200 : 0);
      windows.push_back({first, first + 9, 10, 1, 2, 3, false});
    }
    Projection p;
    p.plot = QRectF(0, 0, 300, 100);
    p.x1 = 600;
    p.y1 = 10;
    WindowPlaces at({}, p);
    const NoiseBand band = noiseBand(windows, at, p, 1, 0.6);
    QCOMPARE(band.middle.size(), 2u);
    for (const QPolygonF& piece : band.outlines) {
      const QRectF box = piece.boundingRect();
      QVERIFY(box.right() <= p.px(201) || box.left() >= p.px(400));
    }
    QVERIFY(band.middle[0].last().x() <= p.px(200));
    QVERIFY(band.middle[1].first().x() >= p.px(400));
  }
};

BATCHSCOPE_TEST(TestNoise)
#include "test_noise.moc"
