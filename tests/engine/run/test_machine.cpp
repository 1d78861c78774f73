// SPDX-License-Identifier: Apache-2.0
//
// The run's state machine, on its own: every way a generation can end, and what is asked at any moment.
#include "batchscope/protocol/error.h"
#include "state/run_machine.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::Trigger;

namespace {

// Writes down the orders it gets.
class Log : public Orders {
 public:
  void launch(int replicas, const std::string& reason) override {
    if (out_of_memory) throw std::bad_alloc();
    if (unlaunchable) throw Error(ErrorKind::not_found, "there is no program");
    orders += "launch " + std::to_string(replicas) + " " + reason + "; ";
  }
  void ask_exit() override { orders += "term; "; }
  void kill() override { orders += "kill; "; }
  void set_timer(double seconds) override { timer = seconds; }
  void tell(const std::string& level, const std::string& text) override {
    events += level + ": " + text + "\n";
  }
  void ended(const Outcome& outcome) override { orders += outcome.text() + "; "; }
  std::string last_words(int rank) override { return "last words of " + std::to_string(rank); }
  std::string log_command(int rank) override { return "logs --replica " + std::to_string(rank); }
  std::string restart_point() override { return "checkpoint-000001"; }
  std::int64_t step() override { return steps; }
  std::optional<Suspect> suspect() override { return suspected; }
  std::string lower_local_batch_size(std::int64_t local) override {
    return local > 1 ? "lowered below " + std::to_string(local) : std::string();
  }

  bool tells(const char* text) const { return events.find(text) != std::string::npos; }
  std::string take() { return std::exchange(orders, {}); }

  std::string orders, events;
  double timer = -1;
  std::int64_t steps = 0;
  std::optional<Suspect> suspected;
  bool unlaunchable = false, out_of_memory = false;
};

Exit exited(int rank, int code) { return {rank, code, 0}; }
Exit signalled(int rank, int signal) { return {rank, 0, signal}; }
// With a reason.
Exit aborted(int rank, Cause cause, const std::string& why, std::int64_t local = 0) {
  return {rank, 0, 6, false, cause, why, local};
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Fixture {
  Log log;
  RunMachine machine;

  // Running on n replicas, with the orders so far forgotten.
  explicit Fixture(int n) : machine({120, 60, 3}, log) {
    machine.start(n, "start");
    machine.first_step();
    log.take();
  }
  void all_exit(int n, int code) {
    for (int rank = 0; rank < n; ++rank) machine.replica_exited(exited(rank, code));
  }
};

bool conflicts(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind() == ErrorKind::conflict;
  }
  return false;
}

}  // namespace

class TestMachine : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRunStartsTrainsAndFinishes() {
    Log log;
    RunMachine machine({}, log);
    QCOMPARE(machine.state(), RunState::starting);
    machine.start(2, "start");
    QCOMPARE(machine.state(), RunState::starting);
    QVERIFY2(log.timer < 0, "a first start may take its time");
    machine.first_step();
    QCOMPARE(machine.state(), RunState::running);
    machine.replica_exited(exited(0, 0));
    QCOMPARE(machine.state(), RunState::running);
    machine.replica_exited(exited(1, 0));
    QCOMPARE(machine.state(), RunState::finished);
    QCOMPARE(log.take(), "launch 2 start; finished; ");
  }

  void aRescaleBeforeTheFirstLaunchIsTakenUp() {
    Log log;
    RunMachine machine({}, log);
    machine.rescale(3);
    QCOMPARE(machine.target_replicas(), 3);
    machine.start(2, "start");
    QCOMPARE(machine.replicas(), 3);
    QCOMPARE(log.take(), "launch 3 start; ");
  }

  void aRescaleCheckpointsAndLaunchesTheNewCount() {
    Fixture f(2);
    f.machine.rescale(3);
    QCOMPARE(f.machine.state(), RunState::restarting);
    QCOMPARE(f.machine.target_replicas(), 3);
    QCOMPARE(f.log.timer, 120.0);
    f.all_exit(2, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 3 rescale; ");
    QCOMPARE(f.log.timer, 60.0);
    f.machine.first_step();
    QCOMPARE(f.machine.state(), RunState::running);
    QVERIFY(f.log.timer < 0);
  }

  void withoutACheckpointTheReplicasStay() {
    Fixture f(2);
    f.machine.rescale(3);
    f.log.take();
    f.machine.refused("the disk is full");
    QCOMPARE(f.machine.state(), RunState::running);
    QCOMPARE(f.machine.target_replicas(), 2);
    QVERIFY(f.log.timer < 0);
    QVERIFY(f.log.tells("the run stays on 2 replicas"));
    QVERIFY(f.log.tells("the disk is full"));
    f.machine.rescale(1);
    f.all_exit(2, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 1 rescale; ");
  }

  void aRefusedPauseIsNone() {
    Fixture f(1);
    f.machine.pause();
    f.machine.refused("the disk is full");
    QCOMPARE(f.machine.state(), RunState::running);
    QVERIFY(f.log.tells("the run is not paused"));
  }

  void aStopThatCameDuringARefusedRescaleIsAskedForAgain() {
    Fixture f(1);
    f.machine.rescale(2);
    f.machine.stop();
    f.log.take();
    f.machine.refused("the disk is full");
    QCOMPARE(f.machine.state(), RunState::stopping);
    QCOMPARE(f.log.take(), "term; ");
  }

  void aRefusalOfAGenerationThatEndsAnywayCountsForNothing() {
    Fixture f(2);
    f.machine.rescale(3);
    f.machine.replica_exited(signalled(1, 9));
    f.machine.refused("its peer is gone");
    QCOMPARE(f.machine.state(), RunState::restarting);
  }

  void damageThatAProgramFindsAtItsStartIsNotTriedTwice() {
    Log log;
    RunMachine machine({}, log);
    machine.start(2, "resume");
    machine.replica_exited(exited(0, kExitCorrupt));
    machine.replica_exited(signalled(1, 6));
    QCOMPARE(machine.state(), RunState::failed);
    QCOMPARE(machine.message(), "last words of 0");
  }

  void theNewestTargetWinsWhileTheOldGenerationEnds() {
    Fixture f(2);
    f.machine.rescale(3);
    f.machine.rescale(4);
    f.all_exit(2, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 4 rescale; ");
  }

  void aRescaleDuringALaunchWaitsForTheFirstStep() {
    Fixture f(2);
    f.machine.rescale(3);
    f.all_exit(2, 143);
    f.machine.rescale(5);
    f.machine.rescale(1);
    QCOMPARE(f.machine.target_replicas(), 1);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 3 rescale; ");
    f.machine.first_step();
    f.all_exit(3, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 1 rescale; ");
  }

  void aRescaleToTheSameNumberIsARestart() {
    Fixture f(2);
    f.machine.rescale(2);
    f.all_exit(2, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 2 rescale; ");
  }

  void aProgramThatFinishesWhileAskedToStopIsFinished() {
    Fixture f(2);
    f.machine.rescale(3);
    f.all_exit(2, 0);
    QCOMPARE(f.machine.state(), RunState::finished);
  }

  void replicasThatDoNotStopAreKilledAndTheRescaleGoesOn() {
    Fixture f(2);
    f.machine.rescale(1);
    f.machine.time_out();
    f.machine.replica_exited(signalled(0, 9));
    f.machine.replica_exited(signalled(1, 9));
    QCOMPARE(f.log.take(), "term; kill; crashed: rank 0, signal 9; launch 1 rescale; ");
    QVERIFY(QString::fromStdString(f.log.events).contains("did not stop within 120 s"));
  }

  void aCountWithoutAFirstStepGivesWayToTheOldOne() {
    Fixture f(2);
    f.machine.rescale(3);
    f.all_exit(2, 143);
    f.log.take();
    f.machine.time_out();
    for (int rank = 0; rank < 3; ++rank) f.machine.replica_exited(signalled(rank, 9));
    QCOMPARE(f.log.take(), "kill; crashed: rank 0, signal 9; launch 2 rescale; ");
    QVERIFY(QString::fromStdString(f.log.events).contains("back to 2 replicas"));
    f.machine.first_step();
    QCOMPARE(f.machine.state(), RunState::running);
  }

  void aCountThatDiesBeforeItsFirstStepGivesWayToo() {
    Fixture f(2);
    f.machine.rescale(3);
    f.all_exit(2, 143);
    f.log.take();
    f.all_exit(3, 3);
    QCOMPARE(f.log.take(), "crashed: rank 0, exit code 3; launch 2 rescale; ");
  }

  void aCrashNamesTheCulpritAndRestartsWithBackOff() {
    Fixture f(2);
    f.machine.replica_exited(signalled(1, 9));
    QCOMPARE(f.machine.state(), RunState::restarting);
    QVERIFY(f.log.timer > 0 && f.log.timer <= 1);  // for last words
    f.machine.replica_exited(exited(0, 1));
    QCOMPARE(f.log.timer, 0.0);
    QVERIFY(QString::fromStdString(f.log.events).contains("rank 1 was killed by signal 9 (SIGKILL)"));
    QVERIFY(QString::fromStdString(f.log.events).contains("restarting at once from checkpoint-000001"));
    QVERIFY(QString::fromStdString(f.log.events)
                .contains("; its log ends with: last words of 1 (logs --replica 1)"));
    f.machine.time_out();
    QCOMPARE(f.log.take(), "crashed: rank 1, signal 9; launch 2 crash; ");
  }

  void survivorsThatHangAreKilledAfterAGrace() {
    Fixture f(2);
    f.machine.replica_exited(exited(1, 5));
    f.machine.time_out();
    f.machine.replica_exited(signalled(0, 9));
    QCOMPARE(f.log.take(), "kill; crashed: rank 1, exit code 5; ");
  }

  void theBudgetEndsAndProgressRenewsIt() {
    Fixture f(1);
    const auto crash = [&](std::int64_t step) {
      f.log.steps = step;
      f.machine.replica_exited(signalled(0, 11));
      const double delay = f.log.timer;
      f.machine.time_out();
      f.machine.first_step();
      return delay;
    };
    QCOMPARE(crash(100), 0.0);
    QCOMPARE(crash(100), 1.0);
    f.machine.checkpoint_written(100);  // before the crash that comes again and again
    QCOMPARE(crash(90), 2.0);
    f.machine.checkpoint_written(101);
    QCOMPARE(crash(110), 0.0);
    QCOMPARE(crash(110), 1.0);
    QCOMPARE(crash(110), 2.0);
    f.machine.replica_exited(signalled(0, 11));
    QCOMPARE(f.machine.state(), RunState::failed);
    QVERIFY(holds(f.machine.message(), "budget of 3"));
    QVERIFY(holds(f.machine.message(), "last words"));
  }

  void aBackOffGrowsNoLongerThanHalfAMinute() {
    Log log;
    RunMachine machine({.restart_budget = 100}, log);
    machine.start(1, "start");
    double longest = 0;
    for (int crash = 0; crash < 20; ++crash) {
      machine.first_step();
      machine.replica_exited(signalled(0, 11));
      longest = log.timer;
      machine.time_out();
    }
    QCOMPARE(longest, 30.0);
  }

  void whoDiedOfAnothersDeathIsNotBlamed() {
    Fixture f(3);
    f.machine.replica_exited(aborted(0, Cause::peer, "replica 2 is gone"));
    f.machine.replica_exited(aborted(2, Cause::exception, "std::runtime_error: the sky is falling"));
    f.machine.replica_exited(aborted(1, Cause::peer, "replica 2 is gone"));
    QCOMPARE(f.log.take(), "crashed: rank 2, signal 6; ");
    QVERIFY(holds(f.log.events,
                  "rank 2 was killed by signal 6 (SIGABRT): std::runtime_error: the sky is falling"));
    QVERIFY(!holds(f.log.events, "last words"));  // the exception says more
  }

  void aHangIsKilledAtOnceAndNamed() {
    Fixture f(2);
    f.machine.hung({1, "it has computed for 46 s"});
    QCOMPARE(f.machine.state(), RunState::restarting);
    QCOMPARE(f.log.take(), "kill; ");
    f.machine.hung({0, "it has computed for 47 s"});  // once is enough
    f.machine.replica_exited(signalled(0, 9));
    f.machine.replica_exited(signalled(1, 9));
    QCOMPARE(f.log.take(), "crashed: rank 1, hang; ");
    QVERIFY(holds(f.log.events, "rank 1 hangs: it has computed for 46 s; restarting at once"));
    f.machine.time_out();
    QCOMPARE(f.log.take(), "launch 2 crash; ");
  }

  void whoGaveUpWaitingIsNotBlamedForAHang() {
    Fixture f(2);
    f.log.suspected = Suspect{1, "its heartbeats stopped 31 s ago"};
    f.machine.replica_exited(aborted(0, Cause::peer, "replica 1 did not take part in time"));
    f.machine.time_out();  // it says no last words
    f.machine.replica_exited(signalled(1, 9));
    QCOMPARE(f.log.take(), "kill; crashed: rank 1, hang; ");
    QVERIFY(holds(f.log.events, "rank 1 hangs: its heartbeats stopped 31 s ago"));
  }

  void aHangDuringARescaleDoesNotHoldItUp() {
    Fixture f(2);
    f.machine.rescale(1);
    f.machine.hung({0, "it has computed for 46 s"});
    f.machine.replica_exited(signalled(0, 9));
    f.machine.replica_exited(signalled(1, 9));
    QCOMPARE(f.log.take(), "term; kill; crashed: rank 0, hang; launch 1 rescale; ");
    QVERIFY(holds(f.log.events, "rank 0 hangs"));
  }

  void memoryThatRunsOutCostsNoBudgetWhileThereIsSomethingToLower() {
    Fixture f(1);
    for (int i = 0; i < 10; ++i) {
      f.machine.replica_exited(aborted(0, Cause::memory, "std::bad_alloc", 100));
      QCOMPARE(f.log.timer, 0.0);
      f.machine.time_out();  // and no first step
    }
    QCOMPARE(f.machine.state(), RunState::restarting);
    QVERIFY(holds(f.log.events,
                  "rank 0 ran out of memory: std::bad_alloc; lowered below 100; restarting at once"));
    f.machine.replica_exited(aborted(0, Cause::memory, "std::bad_alloc", 1));
    f.machine.time_out();
    f.machine.replica_exited(aborted(0, Cause::memory, "std::bad_alloc", 1));
    QCOMPARE(f.machine.state(), RunState::failed);
  }

  void memoryThatRunsOutOnANewCountIsNoReasonToGiveItUp() {
    Fixture f(2);
    f.machine.rescale(1);  // which has twice the samples to hold
    f.all_exit(2, 143);
    f.log.take();
    f.machine.replica_exited(aborted(0, Cause::memory, "std::bad_alloc", 100));
    f.machine.time_out();
    QCOMPARE(f.log.take(), "crashed: rank 0, out of memory; launch 1 crash; ");
    QCOMPARE(f.log.timer, 60.0);
    f.machine.replica_exited(aborted(0, Cause::memory, "std::bad_alloc", 1));  // nothing left to lower
    QCOMPARE(f.log.take(), "crashed: rank 0, out of memory; launch 2 rescale; ");
  }

  void aSupervisorThatCannotGoOnAsksForALastCheckpoint() {
    Fixture f(2);
    f.machine.fail("it broke");
    QCOMPARE(f.log.take(), "term; ");
    QCOMPARE(f.machine.state(), RunState::stopping);
    QCOMPARE(f.log.timer, 120.0);
    f.all_exit(2, 143);
    QCOMPARE(f.machine.state(), RunState::failed);
    QCOMPARE(f.machine.message(), "it broke");
  }

  void aSupervisorThatBreaksTwiceEndsAtOnce() {
    Fixture f(1);
    f.machine.fail("it broke");
    f.machine.fail("it broke again");
    QVERIFY(f.machine.over());
    QCOMPARE(f.machine.state(), RunState::failed);
    QCOMPARE(f.machine.message(), "it broke");
  }

  void aSupervisorThatBreaksWithoutReplicasEndsAtOnce() {
    Log log;
    RunMachine idle({}, log);
    idle.fail("it broke");
    QCOMPARE(idle.state(), RunState::failed);
    Fixture paused(1);
    paused.machine.pause();
    paused.all_exit(1, 143);
    paused.machine.fail("it broke");
    QCOMPARE(paused.machine.state(), RunState::failed);
  }

  void aRunThatFinishesWhileItsSupervisorBreaksIsFinished() {
    Fixture f(1);
    f.machine.fail("it broke");
    f.all_exit(1, 0);
    QCOMPARE(f.machine.state(), RunState::finished);
  }

  void aLaunchThatThrowsAnythingFailsTheRun() {
    Fixture f(1);
    f.machine.pause();
    f.all_exit(1, 143);
    f.log.out_of_memory = true;
    f.machine.resume(0);
    QCOMPARE(f.machine.state(), RunState::failed);
    QCOMPARE(f.machine.message(), "std::bad_alloc");
  }

  // As many times as there are checkpoints; the replicas say when none is left.
  void aCheckpointThatCannotBeLoadedGivesWayToTheOneBefore() {
    Log log;
    RunMachine machine({120, 60, 0}, log);
    machine.start(2, "resume");
    for (int attempt = 0; attempt < 5; ++attempt) {
      machine.replica_exited(
          {0, 7, 0, false, Cause::checkpoint, "checkpoint-000005 cannot be loaded: it is odd"});
      machine.replica_exited(aborted(1, Cause::peer, "replica 0 is gone"));
      QCOMPARE(log.timer, 0.0);
      QVERIFY2(
          log.tells(
              "checkpoint-000005 cannot be loaded: it is odd; restarting at once from checkpoint-000001"),
          log.events.c_str());
      log.take();
      machine.time_out();
      QCOMPARE(log.take(), std::string("launch 2 crash; "));
    }
    for (int rank : {0, 1}) machine.replica_exited({rank, 7, 0, false, Cause::exception, "none is good"});
    QCOMPARE(machine.state(), RunState::failed);
    QCOMPARE(machine.message(), std::string("none is good"));
  }

  void aGradientThatIsNotFiniteFailsOrRestores() {
    const Exit exit{0, 1, 0, false, Cause::non_finite, "step 20: the gradient is not finite"};
    Log log;
    RunMachine stops({.stop_when_not_finite = true}, log);
    stops.start(1, "start");
    stops.first_step();
    stops.replica_exited(exit);
    QCOMPARE(stops.state(), RunState::failed);
    QVERIFY(holds(stops.message(), "step 20: the gradient is not finite"));
    Fixture f(1);
    f.machine.replica_exited(exit);
    f.machine.time_out();
    QCOMPARE(f.log.take(), "crashed: gradient not finite; launch 1 crash; ");
    QVERIFY(holds(f.log.events,
                  "step 20: the gradient is not finite; restarting at once from checkpoint-000001"));
  }

  void twoFailuresBeforeAFirstStepFailTheRun() {
    Log log;
    RunMachine machine({}, log);
    machine.start(1, "start");
    machine.replica_exited(exited(0, 2));
    QCOMPARE(machine.state(), RunState::restarting);
    machine.time_out();
    machine.replica_exited(exited(0, 2));
    QCOMPARE(machine.state(), RunState::failed);
  }

  void whatCannotBeLaunchedFailsTheRun() {
    Log log;
    log.unlaunchable = true;
    RunMachine machine({}, log);
    machine.start(1, "start");
    QCOMPARE(machine.state(), RunState::failed);
    QCOMPARE(machine.message(), "there is no program");
  }

  void aPauseKeepsTheNumberThatWasAskedFor() {
    {
      Fixture f(1);  // while the old generation ends
      f.machine.rescale(3);
      f.machine.pause();
      f.all_exit(1, 143);
      QCOMPARE(f.machine.state(), RunState::paused);
      QCOMPARE(f.machine.target_replicas(), 3);
      f.log.take();
      f.machine.resume(0);
      QCOMPARE(f.log.take(), "launch 3 resume; ");
    }
    Fixture f(1);  // while the new one is launched
    f.machine.rescale(2);
    f.all_exit(1, 143);
    f.machine.rescale(3);
    f.machine.pause();
    f.all_exit(2, 143);
    f.log.take();
    f.machine.resume(4);
    QCOMPARE(f.log.take(), "launch 4 resume; ");
    QCOMPARE(f.machine.target_replicas(), 4);
  }

  void aPersonsRescaleOutranksAScripts() {
    Fixture f(1);
    f.machine.rescale(3);
    f.machine.triggered(Trigger::parse("step=4:replicas=2"));
    f.log.take();
    f.all_exit(1, 143);
    QCOMPARE(f.log.take(), "checkpointed; launch 3 rescale; ");
  }

  void pauseAndResumeOnAnotherCount() {
    Fixture f(2);
    f.machine.pause();
    QCOMPARE(f.machine.state(), RunState::pausing);
    QVERIFY(conflicts([&] { f.machine.rescale(3); }));
    QVERIFY(conflicts([&] { f.machine.resume(0); }));
    f.all_exit(2, 143);
    QCOMPARE(f.machine.state(), RunState::paused);
    QVERIFY(conflicts([&] { f.machine.pause(); }));
    f.machine.resume(3);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 3 resume; ");
    QCOMPARE(f.machine.state(), RunState::starting);
  }

  void stopIsHeardAtAnyMoment() {
    {
      Fixture f(2);
      f.machine.stop();
      QCOMPARE(f.machine.state(), RunState::stopping);
      f.all_exit(2, 143);
      QCOMPARE(f.machine.state(), RunState::stopped);
      QVERIFY(conflicts([&] { f.machine.stop(); }));
    }
    {
      Fixture f(2);  // during a rescale
      f.machine.rescale(3);
      f.machine.stop();
      f.all_exit(2, 143);
      QCOMPARE(f.machine.state(), RunState::stopped);
    }
    {
      Fixture f(2);  // during a launch, before there is a handler for SIGTERM
      f.machine.rescale(1);
      f.all_exit(2, 143);
      f.machine.stop();
      f.machine.replica_exited(signalled(0, 15));
      QCOMPARE(f.machine.state(), RunState::stopped);
    }
    {
      Fixture f(1);  // while backing off
      f.machine.replica_exited(signalled(0, 9));
      f.machine.stop();
      QCOMPARE(f.machine.state(), RunState::stopped);
    }
    {
      Fixture f(1);  // while paused
      f.machine.pause();
      f.all_exit(1, 143);
      f.machine.stop();
      QCOMPARE(f.machine.state(), RunState::stopped);
    }
  }

  void aTriggerIsCarriedOutWithoutASignal() {
    Fixture f(2);
    f.machine.triggered(Trigger::parse("step=4:replicas=3"));
    QCOMPARE(f.machine.state(), RunState::restarting);
    f.all_exit(2, 143);
    QCOMPARE(f.log.take(), "checkpointed; launch 3 trigger; ");
    f.machine.first_step();
    f.machine.triggered(Trigger::parse("step=5:checkpoint"));
    QCOMPARE(f.machine.state(), RunState::running);
    f.machine.triggered(Trigger::parse("step=6:stop"));
    f.all_exit(3, 143);
    QCOMPARE(f.machine.state(), RunState::stopped);
  }

  void everyReplicaTellsOfTheSameTrigger() {
    Fixture f(2);
    f.machine.triggered(Trigger::parse("step=4:pause"));
    f.machine.triggered(Trigger::parse("step=4:pause"));
    f.all_exit(2, 143);
    QCOMPARE(f.machine.state(), RunState::paused);
  }

  void anExit143ThatNobodyHereAskedForStopsTheRun() {
    Fixture f(2);
    f.all_exit(2, 143);
    QCOMPARE(f.machine.state(), RunState::stopped);
    QVERIFY(!f.machine.message().empty());
  }

  void aRescaleWhileACrashIsHandledSetsTheNextCount() {
    Fixture f(2);
    f.machine.replica_exited(signalled(0, 9));
    f.machine.rescale(1);
    f.machine.replica_exited(exited(1, 1));
    f.machine.time_out();
    QCOMPARE(f.log.take(), "crashed: rank 0, signal 9; launch 1 crash; ");
  }
};

BATCHSCOPE_TEST(TestMachine)
#include "test_machine.moc"
