// SPDX-License-Identifier: GPL-3.0-or-later
//
// The series model against a store: what it reads, that it follows, where generations begin, what was lost.
#include <cmath>

#include "batchscope/common/derived_series.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/samples.h"
#include "scene/scene_builder.h"
#include "series/series_model.h"
#include "series/view_state.h"
#include "store_test.h"
#include "synthetic_run.h"
#include "temporary_store.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

// Steps first..last of a generation, one second each.
void write(storage::SampleWriter& writer, int generation, std::int64_t first, std::int64_t last,
           double start) {
  for (std::int64_t step = first; step <= last; ++step) {
    const auto at = static_cast<double>(step);
    writer.append(generation, "time", step, start + static_cast<double>(step - first));
    writer.append(generation, "progress", step, 2 * at);
    writer.append(generation, "loss", step, 100 / at);
    writer.append(generation, "step_time", step, 0.5);
    writer.append(generation, "sync_time", step, 0.125);
  }
  writer.commit();
}

storage::Generation generation(int number, int replicas, std::int64_t first, std::int64_t last) {
  storage::Generation row;
  row.number = number;
  row.replicas = replicas;
  row.first_step = first;
  row.last_step = last;
  return row;
}

// Returns a scene of one line, over all steps unless `options` say otherwise.
ChartScene sceneOf(SeriesModel& model, const common::LineSpec& line, const QRectF& plot,
                   SceneOptions options = {}) {
  if (options.axis == XAxis::Step) options.range = model.extent(XAxis::Step);
  common::ChartSpec spec;
  spec.lines = {line};
  return buildScene(model, spec, plot, options);
}

}  // namespace

class TestSeriesModel : public QObject {
  Q_OBJECT

  test::TemporaryStore store_;

  std::filesystem::path file(const char* name) const {
    return store_.path(QString::fromLatin1(name)).toStdString();
  }

  struct Written {
    int replicas;
    std::int64_t first, last;
    double start;
  };
  // A model of the generations, which are over.
  SeriesModel modelOf(const char* name, const std::vector<Written>& generations,
                      const std::set<std::string>& series = {}) const {
    storage::SampleWriter writer(file(name));
    std::vector<storage::Generation> rows;
    for (const Written& g : generations) {
      const int number = static_cast<int>(rows.size());
      write(writer, number, g.first, g.last, g.start);
      rows.push_back(generation(number, g.replicas, g.first, g.last));
    }
    SeriesModel model(file(name));
    model.want(series);
    model.refresh(rows);
    return model;
  }

 private Q_SLOTS:
  void noFileYetIsNoNews() {
    SeriesModel model(file("missing.db"));
    QVERIFY(!model.refresh({}));
    QVERIFY(model.extent(XAxis::Step).empty());
  }

  void followsByCursor() {
    storage::SampleWriter writer(file("live.db"));
    write(writer, 0, 1, 100, 1000);
    SeriesModel model(file("live.db"));
    model.want({"loss"});
    const std::vector<storage::Generation> generations{generation(0, 2, 1, 0)};
    QVERIFY(model.refresh(generations));
    QCOMPARE(model.track("loss", 0)->sampleCount(), 100);
    QVERIFY(!model.refresh(generations));
    write(writer, 0, 101, 150, 1100);
    QVERIFY(model.refresh(generations));
    QCOMPARE(model.track("loss", 0)->sampleCount(), 150);
    QCOMPARE(model.extent(XAxis::WallTime).high, 149.0);
    QCOMPARE(*model.value("loss", {0, 50}), 2.0);
  }

  void aRestartSplitsAndWhatItUndidIsLost() {
    SeriesModel model = modelOf("restart.db", {{2, 1, 100, 1000}, {4, 81, 200, 1110}}, {"loss"});
    QCOMPARE(model.generations().size(), 2u);
    QCOMPARE(model.generations()[0].lostFrom, 81);
    // A step that exists twice is the one that counts.
    QCOMPARE(model.nearest(XAxis::Step, 90)->generation, 1);
    QCOMPARE(model.nearest(XAxis::WallTime, 20)->generation, 0);

    const ChartScene scene = sceneOf(model, {.series = "loss", .label = {}}, QRectF(0, 0, 400, 100));
    QCOMPARE(scene.lines[0].pieces.size(), 3u);
    QVERIFY(!scene.lines[0].pieces[0].isLost);
    QVERIFY(scene.lines[0].pieces[1].isLost);
    const double restart = scene.left.px(81);
    QVERIFY(std::abs(scene.lines[0].pieces[0].ink.raw.at(0).last().x() - scene.left.px(80)) < 1);
    QVERIFY(std::abs(scene.lines[0].pieces[2].ink.raw.at(0).first().x() - restart) < 1);
    QCOMPARE(scene.bands.size(), 2u);
    QCOMPARE(scene.bands[0].right, restart);
    QVERIFY(scene.bands[1].isRestart && scene.bands[1].replicas == 4);
  }

  void logarithmicWhereValuesSpanDecades_data() {
    QTest::addColumn<std::int64_t>("last");
    QTest::addColumn<std::optional<bool>>("chosen");
    QTest::addColumn<bool>("isDefault");
    QTest::addColumn<bool>("isLog");
    const auto row = [](const char* name, std::int64_t last, std::optional<bool> chosen, bool isDefault,
                        bool isLog) { QTest::newRow(name) << last << chosen << isDefault << isLog; };
    row("two decades", 100, std::nullopt, true, true);
    row("less than one", 6, std::nullopt, true, false);
    row("not of this chart", 100, std::nullopt, false, false);
    row("linear by choice", 100, false, true, false);
    row("logarithmic by choice", 6, true, false, true);
  }
  void logarithmicWhereValuesSpanDecades() {
    QFETCH(std::int64_t, last);
    QFETCH(std::optional<bool>, chosen);
    QFETCH(bool, isDefault);
    SeriesModel model = modelOf(QTest::currentDataTag(), {{2, 1, last, 1000}}, {"loss"});  // 100 / step
    common::ChartSpec spec;
    spec.lines = {{.series = "loss", .label = {}}};
    spec.isLogByDefault = isDefault;
    SceneOptions options;
    options.range = model.extent(XAxis::Step);
    options.isLog = chosen;
    QTEST(buildScene(model, spec, QRectF(0, 0, 400, 100), options).left.log, "isLog");
  }

  void anAxisBeginsAtItsLowestValueWhereAsked() {
    SeriesModel model = modelOf("lowest.db", {{2, 1, 100, 1000}}, {"progress"});
    common::LineSpec line{.series = "progress", .label = {}};
    SceneOptions options;
    options.axis = XAxis::WallTime;
    options.range = {80, 99};
    QCOMPARE(sceneOf(model, line, QRectF(0, 0, 400, 100), options).left.y0, 0.0);
    line.isFromLowest = true;
    QVERIFY(sceneOf(model, line, QRectF(0, 0, 400, 100), options).left.y0 >= 140);
  }

  void axesMapThereAndBack() {
    const SeriesModel model = modelOf("axes.db", {{2, 1, 100, 5000}});
    QCOMPARE(model.map(XAxis::WallTime, 0).at(11), 10.0);
    QCOMPARE(model.map(XAxis::WallTime, 0).stepAt(10), 11.0);
    QCOMPARE(model.map(XAxis::Progress, 0).at(50), 100.0);
    QCOMPARE(model.map(XAxis::Progress, 0).stepAt(101), 50.5);
  }

  void differencesAndStepsAreDerived() {
    SeriesModel model =
        modelOf("derived.db", {{2, 1, 100, 1000}}, {"step_time-sync_time", common::kStepSeries});
    const auto compute = model.view("step_time-sync_time", 0, 1, 100, 400);
    QCOMPARE(compute.size(), 100u);
    QCOMPARE(compute[40].mean, 0.375);
    QCOMPARE(*model.value("step_time-sync_time", {0, 7}), 0.375);
    QCOMPARE(model.view(common::kStepSeries, 0, 1, 100, 400)[9].mean, 10.0);
  }

  void aLongHistoryIsOpenedFromSummariesAndExactOnZoom() {
    storage::SampleWriter writer(file("long.db"));
    const std::int64_t last = 200'000;
    std::vector<double> time(last), loss(last, 1.0);
    for (std::int64_t i = 0; i < last; ++i) time[static_cast<std::size_t>(i)] = static_cast<double>(i);
    loss[123'455] = 9.0;
    writer.append(0, "time", 1, time);
    writer.append(0, "progress", 1, time);
    writer.append(0, "loss", 1, loss);
    writer.commit();
    SeriesModel model(file("long.db"));
    model.want({"loss"});
    model.refresh({generation(0, 1, 1, last)});
    const Track* track = model.track("loss", 0);
    QCOMPARE(track->sampleCount(), last);
    QVERIFY(track->buckets().size() <= 8192);
    double highest = 0;
    for (const Bucket& bucket : model.view("loss", 0, 1, last, 800)) highest = std::max(highest, bucket.max);
    QCOMPARE(highest, 9.0);
    // Zoomed in, every step is there again.
    const auto near = model.view("loss", 0, 123'400, 123'500, 800);
    QVERIFY(near.size() >= 100u);
    QCOMPARE(*model.value("loss", {0, 123'456}), 9.0);
    QCOMPARE(*model.value("loss", {0, 123'457}), 1.0);
    // Values are asked for whenever the cross-hair is painted; what was read of its surroundings is known.
    const auto around = model.track("loss", 0)->from(123'456);
    QVERIFY(around->count > 1 && model.value("loss", {0, 123'456}));
    QVERIFY(storage::test::meddle(file("long.db"), "DELETE FROM chunk; DELETE FROM batch; DELETE FROM tier"));
    for (std::int64_t step = around->first_step; step <= around->last_step; ++step)
      QCOMPARE(*model.value("loss", {0, step}), step == 123'456 ? 9.0 : 1.0);
  }

  void theViewKeepsItsStepsWhenTheAxisChanges() {
    SeriesModel model = modelOf("view.db", {{2, 1, 1000, 1000}});
    ViewState view;
    view.setAxis(XAxis::Step, &model);
    view.zoomTo(model, XAxis::Step, {200, 300});
    QVERIFY(!view.follows());
    view.setAxis(XAxis::WallTime, &model);
    QCOMPARE(view.range(model, XAxis::WallTime).low, 199.0);
    QCOMPARE(view.range(model, XAxis::Step).high, 300.0);
    view.zoomBy(model, XAxis::WallTime, 250, 1e9);
    QVERIFY(!view.isZoomed());
    view.zoomTo(model, XAxis::WallTime, {100, 200});
    view.zoomTo(model, XAxis::WallTime, {120, 140});
    view.undoZoom();
    QCOMPARE(view.range(model, XAxis::WallTime).high, 200.0);
    view.resetZoom();
    QVERIFY(!view.isZoomed() && view.follows());
  }

  void activeTimeLeavesThePausesOut() {
    const SeriesModel model = modelOf("active.db", {{2, 1, 100, 1000}, {4, 101, 200, 2000}});
    QCOMPARE(model.extent(XAxis::WallTime).high, 1099.0);
    QCOMPARE(model.extent(XAxis::ActiveTime).high, 198.0);
    QCOMPARE(*model.position(XAxis::ActiveTime, {1, 101}), 99.0);
    QCOMPARE(model.nearest(XAxis::ActiveTime, 150)->step, 152);
  }

  void aLogarithmicAxisBeginsAboveZero() {
    SeriesModel model = modelOf("log.db", {{2, 1, 1000, 1000}}, {"loss"});
    QCOMPARE(model.extent(XAxis::WallTime, true).low, 1.0);
    ViewState view;
    view.setLogX(true);
    const auto whole = view.range(model, XAxis::WallTime);
    QCOMPARE(view.shifted(whole, whole.low, 0.5), std::sqrt(999.0));
    const ChartScene scene = sceneOf(model, {.series = "loss", .label = {}}, QRectF(0, 0, 300, 100),
                                     {.range = whole, .axis = XAxis::WallTime, .isLogX = true});
    // Each decade takes a third, and the first has its nine samples as nine points.
    QCOMPARE(scene.left.px(10), 300 * std::log(10.0) / std::log(999.0));
    const QPolygonF& line = scene.lines[0].pieces[0].ink.raw.at(0);
    QCOMPARE(line[4].x(), scene.left.px(5));
    QCOMPARE(line[4].y(), scene.left.py(100.0 / 6));
    // Zooming at a place leaves it there.
    view.zoomBy(model, XAxis::WallTime, 100, 0.5);
    const auto zoomed = view.range(model, XAxis::WallTime);
    QVERIFY(std::abs(std::log(100 / zoomed.low) / std::log(zoomed.high / zoomed.low) -
                     std::log(100.0) / std::log(999.0)) < 0.01);
  }

  void wheelAndPanAreUndoneAsGestures() {
    SeriesModel model = modelOf("undo.db", {{2, 1, 1000, 1000}});
    ViewState view;
    view.setAxis(XAxis::Step, &model);
    for (int i = 0; i < 4; ++i) view.zoomBy(model, XAxis::Step, 500, 0.8);
    const double low = view.range(model, XAxis::Step).low;
    for (int i = 0; i < 3; ++i) view.panBy(model, XAxis::Step, 0.1);
    QVERIFY(view.range(model, XAxis::Step).low > low);
    view.undoZoom();
    QCOMPARE(view.range(model, XAxis::Step).low, low);
    view.undoZoom();
    QVERIFY(!view.isZoomed() && !view.canUndo());
    view.redoZoom();
    QCOMPARE(view.range(model, XAxis::Step).low, low);
    // A zoom that changes nothing cannot be undone.
    view.clear();
    view.zoomBy(model, XAxis::Step, 500, 2);
    QVERIFY(!view.canUndo());
  }

  void gainOfOneReplicaAloneIsGreyed() {
    storage::SampleWriter writer(file("gain.db"));
    write(writer, 0, 1, 100, 1000);
    write(writer, 1, 101, 200, 1200);
    for (std::int64_t step = 1; step <= 200; ++step) {
      writer.append(step > 100, "gain", step, 1.5);
      writer.append(step > 100, "accumulation_steps", step, step > 40 && step <= 60 ? 1 : 0);
    }
    writer.commit();
    SeriesModel model(file("gain.db"));
    model.want({"gain", "accumulation_steps"});
    model.refresh({generation(0, 1, 1, 100), generation(1, 2, 101, 200)});
    const ChartScene scene =
        sceneOf(model, {.series = "gain", .label = {}, .isEstimate = true}, QRectF(0, 0, 400, 100));
    std::vector<bool> unreliable;
    for (const ScenePiece& piece : scene.lines[0].pieces) unreliable.push_back(piece.isUnreliable);
    QCOMPARE(unreliable, (std::vector<bool>{true, false, true, false}));
    QVERIFY(std::abs(scene.lines[0].pieces[1].ink.raw[0].first().x() - scene.left.px(41)) < 1);
  }

  void aFollowedZoomMovesAlong() {
    storage::SampleWriter writer(file("follow.db"));
    write(writer, 0, 1, 100, 1000);
    SeriesModel model(file("follow.db"));
    model.refresh({generation(0, 2, 1, 0)});
    ViewState view;
    view.setAxis(XAxis::Step, &model);
    view.zoomTo(model, XAxis::Step, {80, 100});
    QVERIFY(view.follows());
    write(writer, 0, 101, 140, 1100);
    model.refresh({generation(0, 2, 1, 0)});
    view.advance(model);
    QCOMPARE(view.range(model, XAxis::Step).low, 120.0);
    QCOMPARE(view.range(model, XAxis::Step).high, 140.0);
  }
};

BATCHSCOPE_TEST(TestSeriesModel)
#include "test_series_model.moc"
