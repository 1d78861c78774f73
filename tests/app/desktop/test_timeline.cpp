// SPDX-License-Identifier: GPL-3.0-or-later
//
// The time line of the devices: where its bars stand, in whose colours, what is idle, and how mouse, wheel
// and keys move it; and from what rows its lanes and the queue's totals are made.
#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

#include "look/theme.h"
#include "queue/device_timeline.h"
#include "session/queue_snapshot.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

constexpr double kBegin = 1.8e9, kNow = kBegin + 600;

storage::LeaseEvent lease(const char* run, const char* device, double since, double until, int generation = 0,
                          const char* why = "start") {
  return {run, std::string("the ") + run, device, generation, kBegin + since, until > 0 ? kBegin + until : 0,
          why};
}

pool::QueueEntry ended(const char* run, double submitted, double end, double waited) {
  pool::QueueEntry entry;
  entry.run.id = entry.run.name = entry.job.run = run;
  entry.run.ended = kBegin + end;
  entry.job.submitted = kBegin + submitted;
  entry.state = pool::JobState::succeeded;
  entry.waited = waited;
  return entry;
}

}  // namespace

class TestTimeline : public QObject {
  Q_OBJECT

  double now_ = kNow;
  std::unique_ptr<DeviceTimeline> line_;

  QPointF centre(std::size_t lane, std::size_t bar) const {
    return line_->placeOf(lane, line_->lanes()[lane].bars[bar]).center();
  }
  QColor ink(const QPointF& place) const {
    const QImage image = line_->viewport()->grab().toImage();
    return image.pixelColor((place * image.devicePixelRatio()).toPoint());
  }
  void press(Qt::Key key) { QTest::keyClick(line_.get(), key); }
  void turnWheel(const QPointF& at, int by, Qt::KeyboardModifiers modifiers = {}) {
    QWheelEvent turn(at, line_->viewport()->mapToGlobal(at), {}, {0, by}, Qt::NoButton, modifiers,
                     Qt::NoScrollPhase, false);
    QApplication::sendEvent(line_->viewport(), &turn);
  }

 private Q_SLOTS:
  void init() {
    applyTheme(Theme::Mode::Light);
    now_ = kNow;
    line_ = std::make_unique<DeviceTimeline>([this] { return now_; });
    line_->resize(900, 140);
    storage::Generation restart;
    restart.number = 1;
    restart.replicas = 2;
    restart.reason = "rescale";
    restart.started = kBegin + 150;
    line_->setLanes(lanesOf(
        {lease("a", "cpu:10", 0, 300), lease("a", "cpu:2", 0, 0), lease("b", "cpu:10", 400, 0, 3, "resume")},
        {{"a", {restart}}}, {"cuda:0"}));
    line_->setColours({{"a", 0}, {"b", 1}});
    line_->show();
    QVERIFY(QTest::qWaitForWindowExposed(line_.get()));
  }

  void lanesGoByKindAndNumber() {
    const auto& lanes = line_->lanes();
    QCOMPARE(lanes.size(), 3u);
    QCOMPARE(lanes[0].device, std::string("cuda:0"));
    QCOMPARE(lanes[1].device, std::string("cpu:2"));
    QCOMPARE(lanes[2].device, std::string("cpu:10"));
    QCOMPARE(lanes[2].bars.size(), 2u);
    QCOMPARE(lanes[2].bars[0].restarts.size(), 1u);
    QVERIFY(lanes[0].bars.empty());
  }

  void barsStandWhereTheirTimesAre() {
    QVERIFY(line_->follows());
    line_->setRange({kBegin, kBegin + 800});
    const QRectF first = line_->placeOf(2, line_->lanes()[2].bars[0]);
    const QRectF second = line_->placeOf(2, line_->lanes()[2].bars[1]);
    QVERIFY(std::abs(first.width() / second.width() - 300.0 / 200) < 0.01);  // the second lasts until now
    QVERIFY(std::abs((second.left() - first.right()) / first.width() - 100.0 / 300) < 0.01);
    // Cut off where the view ends.
    line_->setRange({kBegin + 100, kBegin + 200});
    const QRectF cut = line_->placeOf(2, line_->lanes()[2].bars[0]);
    QVERIFY(cut.width() > 700);
  }

  void coloursAreThoseOfTheRuns() {
    line_->setRange({kBegin - 50, kBegin + 700});
    const Theme& theme = Theme::light();
    const QPointF inA = centre(2, 0) + QPointF(80, 5), inB = centre(2, 1) + QPointF(30, 5);
    QCOMPARE(ink(inA), theme.run(0));
    QCOMPARE(ink(inB), theme.run(1));
    line_->setSelected({"b"});
    QVERIFY(ink(inA) != theme.run(0));
    QCOMPARE(ink(inB), theme.run(1));
    // The restart is a notch, on either device.
    const QRectF bar = line_->placeOf(2, line_->lanes()[2].bars[0]);
    QCOMPARE(ink({bar.left() + bar.width() / 2, bar.bottom() - 4}), theme.panel);
    applyTheme(Theme::Mode::Dark);
    QTRY_COMPARE(ink(inB), Theme::dark().run(1));
  }

  void whatIsIdleIsSaid() {
    line_->setRange({kBegin - 100, kBegin + 700});
    const QRectF a = line_->placeOf(2, line_->lanes()[2].bars[0]);
    QVERIFY(line_->textAt({a.right() + 20, a.center().y()}).startsWith(QStringLiteral("cpu:10 idle at ")));
    QCOMPARE(line_->textAt({a.left() - 20, a.center().y()}), QString());  // before anything was known
    const QString text = line_->textAt(centre(2, 1));
    QVERIFY2(text.startsWith(QStringLiteral("the b on cpu:10\nsince ")), qPrintable(text));
    QVERIFY2(text.endsWith(QStringLiteral("generation 3: resume")), qPrintable(text));
    QVERIFY(
        line_->textAt({a.left() + a.width() / 2, a.center().y()}).contains(QStringLiteral("on 2: rescale")));
  }

  void aClickIsOfTheRun() {
    QSignalSpy clicked(line_.get(), &DeviceTimeline::runClicked);
    line_->setRange({kBegin, kBegin + 700});
    QTest::mouseClick(line_->viewport(), Qt::LeftButton, {}, centre(2, 1).toPoint());
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked[0][0].toString(), QStringLiteral("b"));
    const QPointF idle = centre(2, 1) - QPointF(0, 48);
    QTest::mouseClick(line_->viewport(), Qt::LeftButton, {}, idle.toPoint());
    QCOMPARE(clicked.size(), 1);
  }

  void itFollowsTheTimeUntilItIsMoved() {
    const auto before = line_->range();
    now_ += 100;
    QCOMPARE(line_->range().to, before.to + 100);
    press(Qt::Key_Left);
    QVERIFY(!line_->follows());
    const auto moved = line_->range();
    now_ += 100;
    QCOMPARE(line_->range(), moved);
    press(Qt::Key_End);
    QVERIFY(line_->follows());
    press(Qt::Key_Right);  // there is nothing beyond now
    QVERIFY(line_->follows());
    press(Qt::Key_Home);
    QVERIFY(line_->range().from <= kBegin);
  }

  void itIsZoomed() {
    const auto span = [this] { return line_->range().to - line_->range().from; };
    const double before = span();
    press(Qt::Key_Plus);
    QVERIFY(span() < before && line_->follows());  // its end stays now
    press(Qt::Key_Minus);
    QVERIFY(std::abs(span() - before) < 1e-6);
    line_->setRange({kBegin, kBegin + 700});
    const QPointF at = centre(2, 0);
    turnWheel(at, 240);
    QVERIFY(span() < 700);
    QVERIFY(line_->textAt(at).startsWith(QStringLiteral("the a")));  // what is pointed at stays there
    const auto zoomed = line_->range();
    turnWheel(at, 120, Qt::ShiftModifier);
    QCOMPARE(span(), zoomed.to - zoomed.from);
    QVERIFY(line_->range().from < zoomed.from);
  }

  void itIsDragged() {
    line_->setRange({kBegin, kBegin + 400});
    const auto before = line_->range();
    QSignalSpy clicked(line_.get(), &DeviceTimeline::runClicked);
    const QPoint from = centre(2, 0).toPoint();
    QTest::mousePress(line_->viewport(), Qt::LeftButton, {}, from);
    QTest::mouseMove(line_->viewport(), from + QPoint(60, 0));
    QTest::mouseMove(line_->viewport(), from + QPoint(120, 0));
    QTest::mouseRelease(line_->viewport(), Qt::LeftButton, {}, from + QPoint(120, 0));
    QVERIFY(line_->range().from < before.from - 20);
    QCOMPARE(clicked.size(), 0);
  }

  void nodesHaveHeadings() {
    common::NodeLane here, n2{.node = "n2"};
    here.devices = {{"cpu:2", "a", "a"}};
    n2.devices = {{"n2/cpu:0", "", ""}};
    common::NodeLane n3{.node = "n3", .there = false, .since = kNow - 60, .why = "its agent's line closed"};
    line_->setLanes(
        lanesOf({lease("a", "cpu:2", 0, 0), lease("a", "n4/cpu:1", 0, 300)}, {}, {}, {here, n2, n3}, kNow));
    QStringList labels;
    for (const Lane& lane : line_->lanes()) labels << lane.label;
    QCOMPARE(labels, (QStringList{"here · 1 of 1 core in use", "cpu:2", "n2 · 0 of 1 core in use", "cpu:0",
                                  "n4 · not shared now", "cpu:1",
                                  "n3 · not there for 60 s: its agent's line closed"}));
    QVERIFY(line_->lanes()[0].device.empty());
    QCOMPARE(line_->lanes()[3].device, std::string("n2/cpu:0"));
    line_->setRange({kBegin, kBegin + 800});
    QVERIFY(line_->textAt(centre(1, 0)).startsWith("the a on cpu:2"));
    QCOMPARE(line_->textAt(centre(1, 0) - QPointF(0, 24)), QString());  // the heading above it
    QCOMPARE(line_->accessibleDescription(), "3 devices, 2 leases");
    line_->grab();
  }

  void manyLanesScroll() {
    std::vector<storage::LeaseEvent> leases;
    for (int i = 0; i < 64; ++i) leases.push_back(lease("a", ("cuda:" + std::to_string(i)).c_str(), 0, 0));
    line_->setLanes(lanesOf(leases, {}));
    QVERIFY(line_->verticalScrollBar()->maximum() > 1000);
    line_->verticalScrollBar()->setValue(line_->verticalScrollBar()->maximum());
    QVERIFY(line_->viewport()->rect().contains(centre(63, 0).toPoint()));
  }

  // Two devices; one run after the other had both, while the second waited.
  void totalsAreReckonedFromRows() {
    QueueSnapshot snapshot;
    snapshot.entries = {ended("a", 0, 100, 0), ended("b", 0, 200, 100)};
    for (const char* device : {"cpu:0", "cpu:1"}) {
      snapshot.leases.push_back(lease("a", device, 0, 100));
      snapshot.leases.push_back(lease("b", device, 100, 200));
    }
    const QueueTotals totals = totalsOf(snapshot, {}, kNow);
    QCOMPARE(*totals.meanCompletion, 150.0);
    QCOMPARE(*totals.meanWait, 50.0);
    QCOMPARE(*totals.use, 1.0);
    // The second's share of two devices among 1.5 runs on average is 4/3; its 200 device seconds take 150 s.
    QVERIFY(std::abs(*totals.worstFairness - 200.0 / 150) < 1e-9);
    QCOMPARE(totals.worstRun, QStringLiteral("b"));

    const QueueTotals none = totalsOf({}, {}, kNow);
    QVERIFY(!none.meanCompletion && !none.meanWait && !none.use && !none.worstFairness);
    // While the queue is empty nobody could have used them.
    for (auto& entry : snapshot.entries) entry.job.submitted = kBegin;
    snapshot.entries.push_back(ended("c", 500, 600, 50));
    snapshot.leases.push_back(lease("c", "cpu:0", 550, 600));
    QVERIFY(std::abs(*totalsOf(snapshot, {}, kNow).use - (400.0 + 50) / (2 * 300)) < 1e-9);
  }
};

BATCHSCOPE_TEST(TestTimeline)
#include "test_timeline.moc"
