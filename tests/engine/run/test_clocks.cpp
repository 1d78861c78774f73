// SPDX-License-Identifier: Apache-2.0
//
// The pause of a restart and its parts, the estimate of the time that remains, and times of another machine.
#include <cmath>

#include "state/pause_clock.h"
#include "state/remaining_time.h"
#include "supervision/our_clock.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

double sum(const Pause& pause) {
  double total = 0;
  for (const auto& [name, seconds] : pause.parts) total += seconds;
  return total;
}

bool near(double a, double b) { return std::abs(a - b) < 1e-9; }

}  // namespace

class TestClocks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void thePartsOfARescaleAddUpToItsPause() {
    PauseClock clock;
    QCOMPARE(clock.phase(), std::string());
    clock.begin(100, 99.5);
    QCOMPARE(clock.phase(), "checkpoint");
    clock.stepped(100.1);
    clock.checkpointed(100.2, 100.5);
    QCOMPARE(clock.phase(), "stop");
    clock.launched(100.6);
    QCOMPARE(clock.phase(), "launch");
    clock.group_stands(101.0);
    clock.group_stands(101.1);
    QCOMPARE(clock.phase(), "restore");
    clock.restored(101.3);
    clock.restored(101.2);  // of another replica
    QCOMPARE(clock.phase(), "first step");
    QVERIFY(near(clock.seconds(101.3), 1.3));
    const Pause pause = clock.first_step(101.4);
    QVERIFY(near(pause.seconds, 1.2));
    QVERIFY(near(sum(pause), pause.seconds));
    QVERIFY(near(pause.parts.at("checkpoint"), 0.3));
    QVERIFY(near(pause.parts.at("stop"), 0.1));
    QVERIFY(near(pause.parts.at("launch"), 0.5));
    QVERIFY(near(pause.parts.at("restore"), 0.2));
    QVERIFY(near(pause.parts.at("first step"), 0.1));
    QVERIFY(!clock.running());
    QCOMPARE(clock.seconds(200), 0.0);
  }

  void thePauseBeginsWithTheLastStepWhoeverTellsOfIt() {
    PauseClock clock;
    clock.begin(10, 10);
    QCOMPARE(clock.seconds(9.5), 0.0);  // the clock of another process
    clock.stepped(11);
    clock.stepped(10.5);
    clock.checkpointed(10.7, 12);
    clock.launched(13);
    clock.stepped(14);  // told late, by a generation that is gone
    QVERIFY(near(clock.first_step(15).seconds, 4));
    clock.begin(10, 10);
    clock.checkpointed(11.5, 12);  // the step before it is told of by the checkpoint alone
    QVERIFY(near(clock.first_step(15).seconds, 3.5));
    clock.begin(10, 10);
    QCOMPARE(clock.first_step(9).seconds, 0.0);
  }

  void aCrashHasNoCheckpointAndStillAddsUp() {
    PauseClock clock;
    clock.begin(10.1, 10);
    clock.launched(10.7);
    const Pause pause = clock.first_step(11);
    QVERIFY(near(pause.seconds, 1) && near(sum(pause), 1));
    QVERIFY(near(pause.parts.at("checkpoint"), 0));
    QVERIFY(near(pause.parts.at("stop"), 0.7));
  }

  void marksOutOfOrderMakeNoNegativePart() {
    PauseClock clock;
    clock.begin(10, 10);
    clock.checkpointed(10, 12);
    clock.launched(11);
    clock.group_stands(30);
    clock.restored(9);
    const Pause pause = clock.first_step(13);
    QVERIFY(near(pause.seconds, 3) && near(sum(pause), 3));
    for (const auto& [name, seconds] : pause.parts) QVERIFY2(seconds >= 0, name.c_str());
  }

  void aSecondAttemptCountsFromItsOwnLaunch() {
    PauseClock clock;
    clock.begin(10, 10);
    clock.launched(11);
    clock.group_stands(12);
    clock.restored(13);
    clock.launched(20);
    QCOMPARE(clock.phase(), "launch");
    clock.group_stands(21);
    const Pause pause = clock.first_step(22);
    QVERIFY(near(pause.seconds, 12) && near(pause.parts.at("stop"), 10));
  }

  void theRemainingTimeFollowsTheLastMinute() {
    RemainingTime remaining;
    QVERIFY(remaining.estimate() < 0);
    for (int t = 0; t <= 100; ++t) remaining.add(t, 0.001 * t);  // 0.1 done, 0.001/s
    QVERIFY(std::abs(remaining.estimate() - 900) < 1);
    for (int t = 101; t <= 200; ++t) remaining.add(t, 0.1 + 0.002 * (t - 100));  // twice as fast
    QVERIFY(std::abs(remaining.estimate() - 350) < 1);
  }

  // To the half second: faster from second 100.5 on, and told at second 160.5.
  void theWindowIsAMinute() {
    RemainingTime remaining;
    for (double t = 0; t <= 160.5; t += 0.5)
      remaining.add(t, t <= 100.5 ? 0.001 * t : 0.1005 + 0.002 * (t - 100.5));
    QVERIFY(near(remaining.estimate(), 0.7795 / 0.002));
  }

  // However few were told of in it.
  void whatIsOlderThanAMinuteDoesNotCount() {
    RemainingTime remaining;
    remaining.add(0, 0);
    remaining.add(100, 0.1);
    remaining.add(200, 0.4);
    QVERIFY(near(remaining.estimate(), 0.6 * 100 / 0.3));
    remaining.reset();
    QVERIFY(remaining.estimate() < 0);
  }

  void twoSecondsOfTrainingAreEnough() {
    RemainingTime early, enough;
    early.add(0, 0);
    early.add(1.9, 0.1);
    QVERIFY(early.estimate() < 0);
    enough.add(0, 0);
    enough.add(2, 0.1);
    QVERIFY(near(enough.estimate(), 18));
  }

  // Ten seconds of training for a tenth, five of validation, and again.
  void thePlateausOfValidationCount() {
    RemainingTime remaining;
    for (int t = 0; t <= 25; ++t) remaining.add(t, 0.01 * (t <= 10 ? t : t <= 15 ? 10 : t - 5));
    QVERIFY(near(remaining.estimate(), 0.8 * 25 / 0.2));
  }

  void aTimeBeforeTheLastTakesNothingAway() {
    RemainingTime remaining;
    remaining.add(0, 0);
    remaining.add(10, 0.1);
    remaining.add(5, 0.15);
    remaining.add(15, 0.2);
    QVERIFY(near(remaining.estimate(), 0.8 * 20 / 0.2));
  }

  void aPauseIsNoSlowTraining() {
    RemainingTime remaining;
    for (int t = 0; t <= 10; ++t) remaining.add(t, 0.01 * t);
    remaining.interrupted();
    remaining.add(5000, 0.1);
    for (int t = 1; t <= 10; ++t) remaining.add(5000 + t, 0.1 + 0.01 * t);
    QVERIFY(std::abs(remaining.estimate() - 80) < 1);
  }

  void aRestoredCheckpointStartsTheWindowAnew() {
    RemainingTime remaining;
    for (int t = 0; t <= 20; ++t) remaining.add(t, 0.02 * t);
    remaining.add(21, 0.1);
    QVERIFY(remaining.estimate() < 0);
    for (int t = 22; t <= 31; ++t) remaining.add(t, 0.1 + 0.01 * (t - 21));
    QVERIFY(std::abs(remaining.estimate() - 80) < 1);
  }

  void noProgressIsNoEstimate() {
    RemainingTime remaining;
    for (int t = 0; t < 100; ++t) remaining.add(t, 0.5);
    QVERIFY(remaining.estimate() < 0);
  }

  // --- another machine's clock ---

  void allTimesOfAMessageAreByOurClock() {
    const auto ours = [](const auto& message) {
      return std::get<std::decay_t<decltype(message)>>(by_our_clock(message, 100));
    };
    protocol::Hello hello;
    hello.started = 1;
    hello.mono = 2;
    QCOMPARE(ours(hello).started, 101.0);
    QCOMPARE(ours(hello).mono, 102.0);
    const protocol::Heartbeat beat{0, 5, "train", "", 3, 4};
    QCOMPARE(ours(beat).since, 103.0);
    QCOMPARE(ours(beat).mono, 104.0);
    const protocol::Steps steps{7, {{"mono", {5, 6}}, {"loss", {5, 6}}}, 0};
    QCOMPARE(ours(steps).columns.at("mono"), (std::vector<double>{105, 106}));
    QCOMPARE(ours(steps).columns.at("loss"), (std::vector<double>{5, 6}));
    protocol::CheckpointWritten written;
    written.last_step = 7;
    written.began = 8;
    written.mono = 9;
    QCOMPARE(ours(written).last_step, 107.0);
    QCOMPARE(ours(written).began, 108.0);
    QCOMPARE(ours(written).mono, 109.0);
    written.last_step = 0;  // there was none
    QCOMPARE(ours(written).last_step, 0.0);
    QCOMPARE(ours(protocol::Scalar{"loss", 1, 2, 3}).mono, 103.0);
  }
};

BATCHSCOPE_TEST(TestClocks)
#include "test_clocks.moc"
