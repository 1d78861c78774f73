// SPDX-License-Identifier: Apache-2.0
//
// The times of the pool's decisions: rounds, what is given away between them, and when deaths are forgiven.
#include "rounds.h"

#include "planned.h"
#include "recovery.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::testing;

namespace {

// "round: a arrived"
std::string text_of(const std::optional<Occasion>& occasion) {
  if (!occasion) return "";
  return (occasion->scope == Scope::round ? "round: " : "free devices: ") + occasion->cause;
}

}  // namespace

class TestRounds : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    rounds_ = {};
    world_ = world({member("a", 2, {"cpu:0"})});
    world_.settings.turn = 30;
  }

  void roundsAreFiveSecondsApart() {
    QCOMPARE(at(100, "a arrived"), "round: a arrived");
    QCOMPARE(at(101), "");
    QCOMPARE(at(102, "b arrived"), "");
    QCOMPARE(at(103, "b has ended"), "");  // the newest is told
    QCOMPARE(at(104.9), "");
    QCOMPARE(at(105), "round: b has ended");
    QCOMPARE(at(110), "");
    QCOMPARE(at(120, "c arrived"), "round: c arrived");
    world_.settings.turn = 2;
    QCOMPARE(at(121.9, "d arrived"), "");
    QCOMPARE(at(122), "round: d arrived");
  }

  void forAPersonARoundComesAtOnce() {
    QCOMPARE(at(100, "a arrived"), "round: a arrived");
    QCOMPARE(at(101, "the settings were changed", true), "round: the settings were changed");
    QCOMPARE(at(102, "b arrived"), "");  // which nobody waits for
    QCOMPARE(at(106), "round: b arrived");
    // One that would have come anyway hurries nothing later.
    QCOMPARE(at(120, "the settings were changed", true), "round: the settings were changed");
    QCOMPARE(at(121, "c arrived"), "");
  }

  void freeDevicesAreGivenAwayInBetween() {
    QCOMPARE(at(100, "a arrived"), "round: a arrived");
    world_.members.push_back(member("b"));
    QCOMPARE(at(101, "b arrived"), "free devices: b arrived");
    QCOMPARE(at(102), "");
    QCOMPARE(at(105), "round: b arrived");
    world_.members.pop_back();
    QCOMPARE(at(106, "c arrived"), "");
    world_.members.push_back(member("d", 2, {"cpu:1"}));
    world_.members[0].to_be_paused = true;
    QCOMPARE(at(107, "a is held"), "free devices: a is held");
  }

  void aTurnEndsWhereSomebodyWaits() {
    QCOMPARE(at(100, "a arrived"), "round: a arrived");
    QCOMPARE(at(131), "");  // nobody does
    world_.members.push_back(member("b"));
    QCOMPARE(at(129.9), "");
    QCOMPARE(at(130), "round: a turn is over");
    QCOMPARE(at(159.9), "");
    QCOMPARE(at(160, "c arrived"), "round: c arrived");  // which is more to the point
    world_.members[0].pause = 1;
    world_.members[0].restarts = 1;  // fifty of them are a turn
    QCOMPARE(at(209.9), "");
    QCOMPARE(at(210), "round: a turn is over");
  }

  void aRoundMayBeAskedFor() {
    QCOMPARE(at(100, "a arrived"), "round: a arrived");
    rounds_.ask_for("run a could not be moved");
    QCOMPARE(at(104.9), "");
    QCOMPARE(at(105), "round: run a could not be moved");
    QCOMPARE(at(110), "");
    rounds_.ask_for("run a could not be moved");
    QCOMPARE(at(110, "a has ended"), "round: a has ended");
  }

  void deathsAreForgivenAfterTenMinutes() {
    Recovery recovery;
    QVERIFY(!recovery.is_over(0, 100) && !recovery.is_over(0, 5000));  // there is none
    QVERIFY(!recovery.is_over(1, 5100) && !recovery.is_over(1, 5700) && recovery.is_over(1, 5700.1));
    QVERIFY(!recovery.is_over(2, 5800) && !recovery.is_over(2, 6400) && recovery.is_over(2, 6401));
    QVERIFY(!recovery.is_over(0, 6402) && !recovery.is_over(0, 9000));
    QVERIFY(!recovery.is_over(1, 9001) && recovery.is_over(1, 9602));
  }

 private:
  std::string at(double now, const std::string& cause = "", bool is_urgent = false) {
    return text_of(rounds_.next(world_, {cause, is_urgent}, now));
  }

  Rounds rounds_;
  World world_;
};

BATCHSCOPE_TEST(TestRounds)
#include "test_rounds.moc"
