// SPDX-License-Identifier: Apache-2.0
//
// Hangs: which replica is named, and which silence is not a hang.
#include "rows.h"
#include "state/hang_watch.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope::run;
using batchscope::protocol::Heartbeat;

namespace {

constexpr double kPatience = 10, kTick = 0.2;
const char* const kExchange = "an exchange of tensors";

// Two replicas under a watch that looks every fifth of a second. A heartbeat comes with every look, unless
// the replica is frozen.
struct HangFixture {
  HangWatch watch{kPatience};
  double now = 1000;
  Heartbeat beats[2] = {{0, 22, "train", "", 1000, 0}, {1, 22, "train", "", 1000, 0}};
  bool frozen[2] = {false, false};

  HangFixture() { watch.begin(2); }
  void does(int rank, const char* waiting_in) {
    beats[rank].waiting = waiting_in;
    beats[rank].since = now;
  }
  // The first verdict of so many seconds.
  std::optional<Suspect> after(double seconds, bool stepping = true) {
    for (const double end = now + seconds; now < end;) {
      now += kTick;
      for (int rank : {0, 1})
        if (!frozen[rank]) watch.beat(rank, beats[rank], now);
      if (auto suspect = watch.check(now, stepping)) return suspect;
    }
    return std::nullopt;
  }
};

}  // namespace

class TestHangWatch : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whoComputesIsNamedAndNotWhoWaits_data() {
    QTest::addColumn<int>("rank");
    for (const int rank : {0, 1}) QTest::addRow("rank %d", rank) << rank;
  }
  void whoComputesIsNamedAndNotWhoWaits() {
    QFETCH(int, rank);
    HangFixture f;
    f.does(rank, "");
    f.now += 1;
    f.does(1 - rank, kExchange);
    QVERIFY(!f.after(kPatience - 1));
    const auto suspect = f.after(2);
    QCOMPARE(suspect.value().rank, rank);
    VERIFY_HOLDS(suspect->why, "it has computed for 11 s in step 23");
  }

  void whoIsSilentIsNamedAndNotWhoComputes_data() { whoComputesIsNamedAndNotWhoWaits_data(); }
  void whoIsSilentIsNamedAndNotWhoComputes() {
    QFETCH(int, rank);
    HangFixture f;
    f.does(rank, kExchange);
    QVERIFY(!f.after(1));
    f.frozen[rank] = true;
    const auto suspect = f.after(2 * kPatience);
    QCOMPARE(suspect.value().rank, rank);
    VERIFY_HOLDS(suspect->why, "heartbeats stopped 9.2 s ago");
    VERIFY_HOLDS(suspect->why, "when it was waiting in an exchange of tensors");
  }

  void aDeadlockNamesTheOneThatWaitsLongest() {
    HangFixture f;
    f.does(1, "all_reduce 'a'");
    f.now += 1;
    f.does(0, "all_reduce 'b'");
    const auto suspect = f.after(2 * kPatience);
    QCOMPARE(suspect.value().rank, 1);
    VERIFY_HOLDS(suspect->why, "it has waited for 11 s in all_reduce 'a' in step 23");
    VERIFY_HOLDS(suspect->why, "wait for one another");
  }

  void progressOfAnyReplicaIsNoHang() {
    HangFixture f;
    for (int i = 0; i < 10; ++i) {
      QVERIFY(!f.after(kPatience / 2));
      f.does(0, i % 2 ? "" : kExchange);
    }
  }

  void longWorkThatIsNoStepIsNotJudged_data() {
    const auto row = batchscope::testing::columns<QString, bool>({"phase", "stepping"});
    row("checkpoint", "checkpoint", true);
    row("between loops", "idle", true);
    row("the first step", "train", false);
  }
  void longWorkThatIsNoStepIsNotJudged() {
    QFETCH(QString, phase);
    QFETCH(bool, stepping);
    HangFixture f;
    f.beats[0].phase = phase.toStdString();
    f.does(1, kExchange);
    QVERIFY(!f.after(10 * kPatience, stepping));
    // A process that stops there is judged all the same.
    f.frozen[0] = true;
    QCOMPARE(f.after(2 * kPatience, stepping).value().rank, 0);
  }

  // Its heartbeats end with its goodbye, and the system may take seconds to end a large process.
  void aProcessThatEndsAfterItsGoodbyeIsNoHang() {
    HangFixture f;
    QVERIFY(!f.after(1));
    for (const int rank : {0, 1}) {
      f.frozen[rank] = true;
      f.watch.said_goodbye(rank, f.now);
    }
    QVERIFY(!f.after(kPatience - 1));
    f.watch.left(0);
    f.watch.left(1);
    QVERIFY(!f.after(10 * kPatience));
  }

  void aProcessThatDoesNotEndAfterItsGoodbyeHangs() {
    HangFixture f;
    f.does(0, kExchange);
    QVERIFY(!f.after(1));
    f.frozen[1] = true;
    f.watch.said_goodbye(1, f.now);
    const auto suspect = f.after(kPatience + 1);
    QCOMPARE(suspect.value().rank, 1);
    VERIFY_HOLDS(suspect->why, "began to end 10 s ago");
    VERIFY_HOLDS(suspect->why, "has not ended");
  }

  void aReplicaThatStopsBeforeItsFirstHeartbeatIsFoundToo() {
    HangWatch watch(kPatience);
    watch.begin(1);
    double now = 1000;
    watch.greeted(0, now);
    while (!watch.check(now += kTick, false)) QVERIFY(now < 1011);
    QVERIFY(now > 1010);
  }

  void aProgramWithoutHeartbeatsIsNotJudged() {
    HangWatch watch(kPatience);
    watch.begin(2);
    double now = 1000;
    for (int i = 0; i < 1000; ++i) {
      now += kTick;
      watch.heard(0, now);
      QVERIFY(!watch.check(now, true));
    }
    QVERIFY(!watch.suspect(now, 0));
  }

  void whatASupervisorThatStoodStillMissedIsNoHang() {
    HangFixture f;
    QVERIFY(!f.after(1));
    f.now += 100;  // the machine slept
    QVERIFY(!f.watch.check(f.now, true));
    QVERIFY(!f.after(kPatience - 1));
    QVERIFY(f.after(2));
  }

  // Whole seconds, which are exact.
  void patienceEndsAfterItsLastSecond() {
    HangWatch watch(kPatience);
    watch.begin(1);
    watch.check(1000, true);
    const Heartbeat beat{0, 22, "train", "", 1000, 1000};
    for (double now = 1001; now <= 1000 + kPatience; ++now) {
      watch.beat(0, beat, now);
      QVERIFY(!watch.check(now, true));
    }
    watch.beat(0, beat, 1001 + kPatience);
    QVERIFY(watch.check(1001 + kPatience, true));
  }

  void aWatchThatLooksTooSeldomWasHeldUp() {
    for (const double tick : {1.0, 1.25}) {
      HangWatch watch(kPatience);
      watch.begin(1);
      bool found = false;
      for (double now = 1000; now < 1100; now += tick) {
        watch.beat(0, {0, 22, "train", "", 1000, now}, now);
        found = found || watch.check(now, true);
      }
      QCOMPARE(found, tick == 1.0);
    }
  }

  // The time counts from when it was last heard, or from when we looked again.
  void silenceIsMoreThanTwoSeconds() {
    HangWatch watch(kPatience);
    watch.begin(1);
    watch.check(1000, true);
    watch.beat(0, {0, 22, "train", "", 1000, 1000}, 1000);
    VERIFY_HOLDS(watch.suspect(1002, 0).value().why, "it has computed for 2 s in step 23");
    VERIFY_HOLDS(watch.suspect(1002.5, 0).value().why, "its heartbeats stopped 2.5 s ago");
    watch.check(1010, true);
    VERIFY_HOLDS(watch.suspect(1011, 0).value().why, "it has computed for 11 s");
  }

  void whoSaysGoodbyeWithoutHeartbeatsIsNotJudged() {
    HangWatch watch(kPatience);
    watch.begin(1);
    watch.said_goodbye(0, 1000);
    for (double now = 1000; now < 1100; ++now) QVERIFY(!watch.check(now, true));
    QVERIFY(!watch.suspect(1100, 0));
  }

  void zeroPatienceIsEndlessPatience() {
    HangWatch watch(0);
    watch.begin(1);
    double now = 1000;
    watch.beat(0, {0, 22, "train", "", now, now}, now);
    for (int i = 0; i < 1000; ++i) QVERIFY(!watch.check(now += kTick, true));
  }

  void whoLeftIsNoSuspect() {
    HangFixture f;
    f.does(0, "");
    f.does(1, kExchange);
    QVERIFY(!f.after(5));
    QCOMPARE(f.watch.suspect(f.now, 3).value().rank, 0);
    QVERIFY(!f.watch.suspect(f.now, 6));  // not for as long
    f.watch.left(0);
    QCOMPARE(f.watch.suspect(f.now, 3)->rank, 1);
  }
};

BATCHSCOPE_TEST(TestHangWatch)
#include "test_hang_watch.moc"
