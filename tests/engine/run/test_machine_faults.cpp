// SPDX-License-Identifier: Apache-2.0
//
// Faults, and how the run's state machine handles them.
#include "machine_fixture.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;

class TestMachineFaults : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void damageThatAProgramFindsAtItsStartIsNotTriedTwice() {
    Log log;
    RunMachine machine({}, log);
    machine.start(2, "resume");
    machine.replica_exited(exited(0, kExitCorrupt));
    machine.replica_exited(signalled(1, 6));
    QCOMPARE(machine.state(), RunState::failed);
    QCOMPARE(machine.message(), "last words of 0");
  }

  void replicasThatDoNotStopAreKilledAndTheRescaleGoesOn() {
    MachineFixture f(2);
    f.machine.rescale(1);
    f.machine.time_out();
    f.machine.replica_exited(signalled(0, 9));
    f.machine.replica_exited(signalled(1, 9));
    QCOMPARE(f.log.take(), "term; kill; crashed: rank 0, signal 9; launch 1 rescale; ");
    VERIFY_HOLDS(f.log.events, "did not stop within 120 s");
    QVERIFY(!f.log.tells("after it was asked to stop"));  // it was killed
  }

  void aCountWithoutAFirstStepGivesWayToTheOldOne() {
    MachineFixture f(2);
    f.machine.rescale(3);
    f.all_exit(2, 143);
    f.log.take();
    f.machine.time_out();
    for (int rank = 0; rank < 3; ++rank) f.machine.replica_exited(signalled(rank, 9));
    QCOMPARE(f.log.take(), "kill; crashed: rank 0, signal 9; launch 2 rescale; ");
    VERIFY_HOLDS(f.log.events, "back to 2 replicas");
    f.machine.first_step();
    QCOMPARE(f.machine.state(), RunState::running);
  }

  void aCountThatDiesBeforeItsFirstStepGivesWayToo() {
    MachineFixture f(2);
    f.machine.rescale(3);
    f.all_exit(2, 143);
    f.log.take();
    f.all_exit(3, 3);
    QCOMPARE(f.log.take(), "crashed: rank 0, exit code 3; launch 2 rescale; ");
  }

  void aCrashNamesTheCulpritAndRestartsWithBackOff() {
    MachineFixture f(2);
    f.machine.replica_exited(signalled(1, 9));
    QCOMPARE(f.machine.state(), RunState::restarting);
    QVERIFY(f.log.timer > 0 && f.log.timer <= 1);  // for last words
    f.machine.replica_exited(exited(0, 1));
    QCOMPARE(f.log.timer, 0.0);
    VERIFY_HOLDS(f.log.events, "rank 1 was killed by signal 9 (SIGKILL)");
    VERIFY_HOLDS(f.log.events, "restarting at once from checkpoint-000001");
    VERIFY_HOLDS(f.log.events, "; its log ends with: last words of 1 (logs --replica 1)");
    f.machine.time_out();
    QCOMPARE(f.log.take(), "crashed: rank 1, signal 9; launch 2 crash; ");
  }

  void survivorsThatHangAreKilledAfterAGrace() {
    MachineFixture f(2);
    f.machine.replica_exited(exited(1, 5));
    f.machine.time_out();
    f.machine.replica_exited(signalled(0, 9));
    QCOMPARE(f.log.take(), "kill; crashed: rank 1, exit code 5; ");
  }

  void theBudgetEndsAndProgressRenewsIt() {
    MachineFixture f(1);
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
    VERIFY_HOLDS(f.machine.message(), "budget of 3");
    VERIFY_HOLDS(f.machine.message(), "last words");
  }

  void anExceptionThatComesBackInTheSameStepIsTheEnd() {
    MachineFixture f(1);
    const auto raised = [&](std::int64_t step, const std::string& what) {
      f.log.steps = step;
      f.machine.replica_exited(aborted(0, Cause::exception, what));
      if (f.machine.over()) return;
      f.machine.time_out();
      f.machine.first_step();
    };
    raised(39, "ValueError: a");
    raised(39, "ValueError: b");
    raised(40, "ValueError: b");
    QVERIFY(!f.machine.over());
    raised(40, "ValueError: b");
    QCOMPARE(f.machine.state(), RunState::failed);
    VERIFY_HOLDS(f.machine.message(), "the same exception twice after step 40");
    VERIFY_HOLDS(f.machine.message(), "ValueError: b");
  }

  void anExceptionThatNamesAnAddressIsTheSameAtAnother() {
    MachineFixture f(1);
    f.log.steps = 30;
    f.machine.replica_exited(aborted(0, Cause::exception, "ValueError: <Row object at 0x7fb477330850>"));
    f.machine.time_out();
    f.machine.first_step();
    f.machine.replica_exited(aborted(0, Cause::exception, "ValueError: <Row object at 0x7f21c98c0480>"));
    QCOMPARE(f.machine.state(), RunState::failed);
    VERIFY_HOLDS(f.machine.message(), "the same exception twice after step 30", "0x7f21c98c0480");
  }

  // A restart would only run the same lines again.
  void anExceptionBeforeTheFirstStepIsTheEnd() {
    Log log;
    RunMachine machine({120, 60, 3}, log);
    machine.start(1, "start");
    machine.replica_exited({0, 1, 0, false, Cause::exception, "ValueError: a"});
    QCOMPARE(machine.state(), RunState::failed);
    QCOMPARE(machine.message(), "rank 0 ended with exit code 1: ValueError: a (logs --replica 0)");
    QVERIFY(log.events.empty());
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
    MachineFixture f(3);
    f.log.steps = 5;
    f.machine.replica_exited(aborted(0, Cause::peer, "replica 2 is gone"));
    f.machine.replica_exited(aborted(2, Cause::exception, "std::runtime_error: the sky is falling"));
    f.machine.replica_exited(aborted(1, Cause::peer, "replica 2 is gone"));
    QCOMPARE(f.log.take(), "crashed: rank 2, signal 6; ");
    VERIFY_HOLDS(f.log.events,
                 "rank 2 was killed by signal 6 (SIGABRT): std::runtime_error: the sky is falling");
    QVERIFY(!holds(f.log.events, "last words"));  // the exception says more
  }

  void aHangIsKilledAtOnceAndNamed() {
    MachineFixture f(2);
    f.machine.hung({1, "it has computed for 46 s"});
    QCOMPARE(f.machine.state(), RunState::restarting);
    QCOMPARE(f.log.take(), "kill; ");
    f.machine.hung({0, "it has computed for 47 s"});  // once is enough
    f.machine.replica_exited(signalled(0, 9));
    f.machine.replica_exited(signalled(1, 9));
    QCOMPARE(f.log.take(), "crashed: rank 1, hang; ");
    VERIFY_HOLDS(f.log.events, "rank 1 hangs: it has computed for 46 s; restarting at once");
    f.machine.time_out();
    QCOMPARE(f.log.take(), "launch 2 crash; ");
  }

  void whoGaveUpWaitingIsNotBlamedForAHang() {
    MachineFixture f(2);
    f.log.suspected = Suspect{1, "its heartbeats stopped 31 s ago"};
    f.machine.replica_exited(aborted(0, Cause::peer, "replica 1 did not take part in time"));
    f.machine.time_out();  // it says no last words
    f.machine.replica_exited(signalled(1, 9));
    QCOMPARE(f.log.take(), "kill; crashed: rank 1, hang; ");
    VERIFY_HOLDS(f.log.events, "rank 1 hangs: its heartbeats stopped 31 s ago");
  }

  void aHangDuringARescaleDoesNotHoldItUp() {
    MachineFixture f(2);
    f.machine.rescale(1);
    f.machine.hung({0, "it has computed for 46 s"});
    f.machine.replica_exited(signalled(0, 9));
    f.machine.replica_exited(signalled(1, 9));
    QCOMPARE(f.log.take(), "term; kill; crashed: rank 0, hang; launch 1 rescale; ");
    VERIFY_HOLDS(f.log.events, "rank 0 hangs");
  }

  void memoryThatRunsOutCostsNoBudgetWhileThereIsSomethingToLower() {
    MachineFixture f(1);
    for (int i = 0; i < 10; ++i) {
      f.machine.replica_exited(aborted(0, Cause::memory, "std::bad_alloc", 100));
      QCOMPARE(f.log.timer, 0.0);
      f.machine.time_out();  // and no first step
    }
    QCOMPARE(f.machine.state(), RunState::restarting);
    VERIFY_HOLDS(f.log.events,
                 "rank 0 ran out of memory: std::bad_alloc; lowered below 100; restarting at once");
    f.machine.replica_exited(aborted(0, Cause::memory, "std::bad_alloc", 1));
    f.machine.time_out();
    f.machine.replica_exited(aborted(0, Cause::memory, "std::bad_alloc", 1));
    QCOMPARE(f.machine.state(), RunState::failed);
  }

  void memoryThatRunsOutOnANewCountIsNoReasonToGiveItUp() {
    MachineFixture f(2);
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
    MachineFixture f(2);
    f.machine.fail("it broke");
    QCOMPARE(f.log.take(), "term; ");
    QCOMPARE(f.machine.state(), RunState::stopping);
    QCOMPARE(f.log.timer, 120.0);
    f.all_exit(2, 143);
    QCOMPARE(f.machine.state(), RunState::failed);
    QCOMPARE(f.machine.message(), "it broke");
  }

  void aSupervisorThatBreaksTwiceEndsAtOnce() {
    MachineFixture f(1);
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
    MachineFixture paused(1);
    paused.machine.pause();
    paused.all_exit(1, 143);
    paused.machine.fail("it broke");
    QCOMPARE(paused.machine.state(), RunState::failed);
  }

  void aRunThatFinishesWhileItsSupervisorBreaksIsFinished() {
    MachineFixture f(1);
    f.machine.fail("it broke");
    f.all_exit(1, 0);
    QCOMPARE(f.machine.state(), RunState::finished);
  }

  void aLaunchThatThrowsAnythingFailsTheRun() {
    MachineFixture f(1);
    f.machine.pause();
    f.all_exit(1, 143);
    f.log.out_of_memory = true;
    f.machine.resume(0);
    QCOMPARE(f.machine.state(), RunState::failed);
    QCOMPARE(f.machine.message(), "std::bad_alloc");
  }

  // The machine tries as many times as there are checkpoints; the replicas say when none is left.
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
    VERIFY_HOLDS(stops.message(), "step 20: the gradient is not finite");
    MachineFixture f(1);
    f.machine.replica_exited(exit);
    f.machine.time_out();
    QCOMPARE(f.log.take(), "crashed: gradient not finite; launch 1 crash; ");
    VERIFY_HOLDS(f.log.events,
                 "step 20: the gradient is not finite; restarting at once from checkpoint-000001");
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

  void aLostNodeCostsNoBudgetAndLeavesTheRest() {
    Log log;
    RunMachine machine({120, 60, 0}, log);
    machine.start(4, "start");
    for (int room = 3; room > 0; --room) {  // before any first step
      log.take();
      machine.confine(room);
      for (int rank = 0; rank <= room; ++rank)
        machine.replica_exited(rank == room ? aborted(rank, Cause::node, "node n2 is gone")
                                            : signalled(rank, 9));
      machine.time_out();
      QCOMPARE(log.take(), "crashed: rank " + std::to_string(room) + ", node lost; launch " +
                               std::to_string(room) + " crash; ");
    }
    VERIFY_HOLDS(log.events, "node n2 is gone; restarting at once from checkpoint-000001");
  }

  void thereIsNoWayBackToMoreThanThereIsRoomFor() {
    MachineFixture f(4);
    f.machine.rescale(2);
    f.all_exit(4, 143);
    f.log.take();
    f.machine.confine(3);
    f.machine.time_out();
    for (int rank = 0; rank < 2; ++rank) f.machine.replica_exited(signalled(rank, 9));
    QCOMPARE(f.log.take(), "kill; crashed: rank 0, signal 9; launch 3 rescale; ");
  }

  void whatWasAskedForOnALostNodeIsAskedForOnTheRest() {
    MachineFixture f(1);
    f.machine.rescale(3);
    f.machine.confine(2);
    f.all_exit(1, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 2 rescale; ");
  }

  void aReplicaThatLosesADeviceOfSeveralIsLeftOut() {
    MachineFixture f(1);
    f.machine.rescale(Allocation(2, {"cpu:0", "cpu:1", "n2/cpu:0", "n2/cpu:1"}));
    f.machine.confine(2, [](const std::string& device) { return device == "n2/cpu:1"; });
    QCOMPARE(f.machine.target(), Allocation(1, {"cpu:0", "cpu:1"}));
    f.all_exit(1, 143);
  }

  void devicesThatAreThereStayNamed() {
    MachineFixture f(1);
    const Allocation there(2, {"n2/cpu:0", "n2/cpu:1", "n2/cpu:2"});
    f.machine.rescale(there);
    f.machine.confine(2);
    QCOMPARE(f.machine.target(), there);
    f.machine.confine(2, [](const std::string& device) { return device.starts_with("n3/"); });
    QCOMPARE(f.machine.target(), there);
  }

  void aPausedRunGoesOnWhereThereIsRoom() {
    MachineFixture f(3);
    f.machine.pause();
    f.all_exit(3, 143);
    f.machine.confine(2);
    f.log.take();
    f.machine.resume({});
    QCOMPARE(f.log.take(), "launch 2 resume; ");
  }
};

BATCHSCOPE_TEST(TestMachineFaults)
#include "test_machine_faults.moc"
