// SPDX-License-Identifier: Apache-2.0
//
// Events and requests that come early, late or twice, and what the run's state machine makes of them.
#include "batchscope/protocol/error.h"
#include "machine_fixture.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::Trigger;

class TestMachineMoments : public QObject {
  Q_OBJECT

  // On three replicas, which have not made a step; before it ran on two.
  static void launch_three(MachineFixture& f) {
    f.machine.rescale(3);
    f.all_exit(2, 143);
    f.log.take();
  }
  static void crash(MachineFixture& f) {
    f.machine.replica_exited(signalled(0, 11));
    f.log.take();
  }

 private Q_SLOTS:
  // --- requests ---

  void aRescaleThatIsReachedAlreadyIsNotBegunAgain() {
    MachineFixture f(2);
    launch_three(f);
    f.machine.rescale(3);
    f.machine.first_step();
    QCOMPARE(f.machine.state(), RunState::running);
    QCOMPARE(f.log.take(), "");
  }

  void theSameNumberHasNoOtherToGoBackTo() {
    MachineFixture f(2);
    f.machine.rescale(2);
    f.all_exit(2, 143);
    QVERIFY(f.log.timer < 0);  // it may take its time
    f.log.take();
    f.all_exit(2, 3);
    QCOMPARE(f.log.take(), "crashed: rank 0, exit code 3; ");
    QCOMPARE(f.machine.state(), RunState::restarting);
  }

  void aRestartOnAnotherNumberIsOne() {
    MachineFixture f(2);
    launch_three(f);
    QCOMPARE(f.machine.state(), RunState::restarting);
    QVERIFY(f.machine.allocation() == Allocation(3) && !f.machine.restarting());
  }

  void aRescaleDuringABackOffTakesThePlaceOfTheCrashedNumber() {
    MachineFixture f(1);
    crash(f);
    f.machine.rescale(2);
    QCOMPARE(f.machine.target().replicas, 2);
    f.machine.time_out();
    QCOMPARE(f.log.take(), "launch 2 crash; ");
  }

  void aPauseDuringABackOffRests() {
    MachineFixture f(1);
    crash(f);
    f.machine.pause();
    QCOMPARE(f.machine.state(), RunState::paused);
    QVERIFY(f.log.timer < 0);
    f.machine.time_out();
    QCOMPARE(f.log.take(), "");
    f.machine.resume(0);
    QCOMPARE(f.log.take(), "launch 1 resume; ");
  }

  void aPauseWhileACrashIsHandledIsKept() {
    MachineFixture f(2);
    f.machine.replica_exited(signalled(0, 9));
    f.machine.pause();
    f.machine.replica_exited(exited(1, 1));
    QCOMPARE(f.machine.state(), RunState::paused);
    QVERIFY(
        f.log.tells("rank 0 was killed by signal 9 (SIGKILL) after it was asked to stop; going on from "
                    "checkpoint-000001"));
  }

  void whatCannotBeDoneNowIsAConflict() {
    MachineFixture paused(1);
    paused.machine.pause();
    paused.all_exit(1, 143);
    VERIFY_THROWS("conflict", "the run is paused; to continue it on another number of replicas",
                  paused.machine.rescale(2));
    VERIFY_THROWS("conflict", "the run is paused already; to continue it", paused.machine.pause());
    MachineFixture stopping(1);
    stopping.machine.stop();
    VERIFY_THROWS("conflict", "the run is stopping", stopping.machine.rescale(2));
    VERIFY_THROWS("conflict", "the run is stopping", stopping.machine.pause());
    stopping.all_exit(1, 143);
    VERIFY_THROWS("conflict", "the run is over", stopping.machine.rescale(2));
    VERIFY_THROWS("conflict", "the run is over", stopping.machine.pause());
    VERIFY_THROWS("conflict", "the run is stopped, not paused", stopping.machine.resume(1));
    Log log;
    RunMachine starting({}, log);
    QCOMPARE(testing::thrown_by([&] { starting.pause(); }), "conflict: the run is starting already");
    MachineFixture running(1);
    VERIFY_THROWS("conflict", "the run is running, not paused", running.machine.resume(1));
    QCOMPARE(running.log.take(), "");
  }

  void aFirstStepOfAGenerationThatLeavesKeepsNothingUp() {
    Log log;
    RunMachine machine({}, log);
    machine.start(1, "start");
    machine.stop();
    machine.first_step();
    QCOMPARE(machine.state(), RunState::stopping);
    QCOMPARE(log.timer, 120.0);  // for its checkpoint
  }

  // --- scripted events ---

  void aScriptThatPausesDuringARescaleKeepsItsNumber() {
    MachineFixture f(1);
    f.machine.rescale(3);
    f.machine.triggered(Trigger::parse("step=4:pause"));
    f.all_exit(1, 143);
    QCOMPARE(f.machine.state(), RunState::paused);
    f.log.take();
    f.machine.resume(0);
    QCOMPARE(f.log.take(), "launch 3 resume; ");
  }

  void aScriptOutranksTheModelAndNoPerson() {
    MachineFixture model(1);
    model.machine.rescale(3, "auto");
    model.machine.triggered(Trigger::parse("step=4:replicas=2"));
    model.all_exit(1, 143);
    QCOMPARE(model.log.take(), "term; checkpointed; launch 2 trigger; ");
    MachineFixture stopped(1);
    stopped.machine.rescale(3);
    stopped.machine.triggered(Trigger::parse("step=4:stop"));
    stopped.all_exit(1, 143);
    QCOMPARE(stopped.machine.state(), RunState::stopped);
    for (const auto ask : {&RunMachine::pause, &RunMachine::stop}) {
      MachineFixture person(1);
      (person.machine.*ask)();
      const RunState asked = person.machine.state();
      person.machine.triggered(Trigger::parse("step=4:replicas=2"));
      QCOMPARE(person.machine.state(), asked);
    }
  }

  // Replicas tell of their steps later than of what happens at one.
  void aScriptedEventIsProgress() {
    Log log;
    RunMachine machine({}, log);
    machine.start(1, "start");
    machine.triggered(Trigger::parse("step=1:replicas=2"));
    machine.replica_exited(exited(0, 143));
    QCOMPARE(log.take(), "launch 1 start; checkpointed; launch 2 trigger; ");
  }

  void aScriptedEventOfAGenerationThatIsGoneIsNone() {
    MachineFixture f(1);
    crash(f);
    f.machine.triggered(Trigger::parse("step=4:stop"));
    QCOMPARE(f.machine.state(), RunState::restarting);
    f.machine.time_out();
    QCOMPARE(f.log.take(), "launch 1 crash; ");
  }

  // --- time ---

  // A checkpoint that was asked for may still be on its way to the disk.
  void lastWordsAreWaitedForLongerWhileACheckpointWasAskedFor() {
    MachineFixture asked(2), alone(2), by_script(2), refused(2);
    asked.machine.rescale(1);
    by_script.machine.triggered(Trigger::parse("step=4:replicas=1"));
    refused.machine.rescale(1);
    refused.machine.refused("the disk is full");
    for (MachineFixture* const f : {&asked, &alone, &by_script, &refused})
      f->machine.replica_exited(signalled(1, 9));
    QCOMPARE(asked.log.timer, 10.0);
    QCOMPARE(by_script.log.timer, 10.0);
    QCOMPARE(alone.log.timer, 1.0);
    QCOMPARE(refused.log.timer, 1.0);
  }

  void replicasThatDoNotEndWithTheOthersAreKilled() {
    MachineFixture f(2);
    f.machine.replica_exited(exited(0, 0));
    QCOMPARE(f.log.timer, 120.0);
    f.machine.time_out();
    QCOMPARE(f.log.take(), "kill; ");
    const std::string told =
        "not every replica ended with the others within 120 s and the rest were killed; the newest complete "
        "checkpoint is used";
    QVERIFY(f.log.tells(told.c_str()));
    QCOMPARE(f.machine.state(), RunState::restarting);
    f.log.events.clear();
    f.machine.time_out();  // once more, in case
    QCOMPARE(f.log.take(), "kill; ");
    QCOMPARE(f.log.events, "");
  }

  void aCrashIsNoReplicaThatDidNotStop() {
    MachineFixture f(2);
    f.machine.rescale(1);
    f.machine.replica_exited(signalled(1, 9));
    f.machine.time_out();
    QCOMPARE(f.log.events, "");
  }

  void aTimeOutWhereNothingIsWaitedForIsNone() {
    MachineFixture f(1);
    f.machine.time_out();
    QCOMPARE(f.log.take(), "");
    QCOMPARE(f.machine.state(), RunState::running);
  }

  void aStartThatIsGivenUpSaysSo() {
    MachineFixture f(2);
    launch_three(f);
    f.machine.time_out();
    for (int rank = 0; rank < 3; ++rank) f.machine.replica_exited(signalled(rank, 9));
    VERIFY_HOLDS(f.log.events, "no first step on 3 replicas within 60 s; the run gives up this start",
                 "the restart on 3 replicas failed, back to 2 replicas: it did not start in time");
  }

  void aBackOffIsTold() {
    MachineFixture f(1);
    crash(f);
    f.machine.time_out();
    f.machine.first_step();
    f.log.events.clear();
    crash(f);
    VERIFY_HOLDS(f.log.events, "; restarting in 1 s from checkpoint-000001");
  }

  // --- a generation and those before it ---

  void aGenerationThatHasBegunHasNoWayBack() {
    MachineFixture f(2);
    launch_three(f);
    f.machine.first_step();
    f.machine.replica_exited(aborted(0, Cause::memory, "std::bad_alloc", 100));
    for (const int rank : {1, 2}) f.machine.replica_exited(aborted(rank, Cause::peer, "replica 0 is gone"));
    f.machine.time_out();
    QCOMPARE(f.log.take(), "crashed: rank 0, out of memory; launch 3 crash; ");
    QVERIFY(f.log.timer < 0);
  }

  void onlyFailuresInARowCountBeforeAFirstStep() {
    Log log;
    RunMachine machine({}, log);
    machine.start(1, "start");
    machine.replica_exited(exited(0, 2));
    machine.time_out();
    QCOMPARE(machine.state(), RunState::restarting);  // and not starting
    machine.first_step();
    machine.pause();
    machine.replica_exited(exited(0, 143));
    machine.resume(0);
    machine.replica_exited(exited(0, 2));
    QCOMPARE(machine.state(), RunState::restarting);
  }

  void aGenerationThatMadeStepsIsNoneOfThem() {
    MachineFixture f(1);
    crash(f);
    f.machine.time_out();
    f.machine.replica_exited(exited(0, 2));  // the first of them
    QCOMPARE(f.machine.state(), RunState::restarting);
    f.machine.time_out();
    f.machine.replica_exited(exited(0, 2));
    QCOMPARE(f.machine.state(), RunState::failed);
  }

  void aHangOfOneGenerationIsNotTheNexts() {
    MachineFixture f(1);
    f.machine.hung({0, "it has computed for 46 s"});
    f.machine.replica_exited(signalled(0, 9));
    f.machine.time_out();
    f.machine.first_step();
    f.machine.rescale(2);
    f.machine.time_out();
    f.log.take();
    f.machine.replica_exited(signalled(0, 9));
    QCOMPARE(f.log.take(), "crashed: rank 0, signal 9; launch 2 rescale; ");
  }

  void whoSaysByItselfWhyItFailsDidNotHang() {
    MachineFixture f(2);
    f.machine.hung({1, "it has computed for 46 s"});
    QCOMPARE(f.log.timer, 120.0);
    f.machine.replica_exited(signalled(0, 9));
    QCOMPARE(f.log.timer, 120.0);  // nothing else is waited for
    f.machine.replica_exited(aborted(1, Cause::memory, "std::bad_alloc"));
    QCOMPARE(f.log.take(), "kill; crashed: rank 1, out of memory; ");
  }

  void whoHangsBeforeItsFirstStepIsKilledToo() {
    Log log;
    RunMachine machine({}, log);
    machine.start(1, "start");
    machine.hung({0, "its heartbeats stopped 46 s ago"});
    machine.replica_exited(signalled(0, 9));
    QCOMPARE(log.take(), "launch 1 start; kill; crashed: rank 0, hang; ");
    QVERIFY(!log.tells("the replicas are killed"));  // nobody waits for it
  }

  void withoutReplicasNothingHangs() {
    MachineFixture paused(1), crashed(1);
    paused.machine.pause();
    paused.all_exit(1, 143);
    crash(crashed);
    for (MachineFixture* const f : {&paused, &crashed}) {
      const RunState before = f->machine.state();
      f->log.take();
      f->machine.hung({0, "it has computed for 46 s"});
      QCOMPARE(f->log.take(), "");
      QCOMPARE(f->machine.state(), before);
    }
  }

  void damageThatIsFoundWhileTrainingIsACrashLikeAnother() {
    MachineFixture f(1);
    f.log.steps = 5;
    f.machine.replica_exited(exited(0, kExitCorrupt));
    QCOMPARE(f.machine.state(), RunState::restarting);
    Log log;
    RunMachine machine({}, log);
    machine.start(1, "resume");
    machine.replica_exited({0, kExitCorrupt, 0, false, Cause::exception, "none of the checkpoints is good"});
    QCOMPARE(machine.state(), RunState::failed);
    QCOMPARE(machine.message(), "none of the checkpoints is good");
  }

  // --- refusals and failures ---

  void aRefusalOfReplicasThatAreKilledCountsForNothing() {
    MachineFixture f(2);
    f.machine.rescale(3);
    f.machine.time_out();
    f.machine.refused("the disk is full");
    QCOMPARE(f.machine.state(), RunState::restarting);
    Log log;
    RunMachine launching({}, log);
    launching.start(1, "start");
    launching.refused("the disk is full");
    QCOMPARE(launching.state(), RunState::starting);
    QCOMPARE(log.events, "");
  }

  void aScriptedPauseThatIsRefusedLeavesTheRunTraining() {
    MachineFixture f(1);
    f.machine.refused("the disk is full");  // before anybody here knew of the pause
    QCOMPARE(f.machine.state(), RunState::running);
    QVERIFY(f.log.tells("error: training goes on, because no checkpoint can be written: the disk is full"));
  }

  void nothingOfARefusedPauseIsLeft() {
    MachineFixture f(1);
    f.machine.rescale(3);
    f.machine.pause();  // keeps the number
    f.machine.refused("the disk is full");
    QCOMPARE(f.machine.target().replicas, 1);
  }

  void aSupervisorThatBreaksDuringAStopAsksNobodyAgain() {
    MachineFixture f(1);
    f.machine.stop();
    f.log.take();
    f.machine.fail("it broke");
    QCOMPARE(f.log.take(), "");
    f.all_exit(1, 143);
    QCOMPARE(f.machine.state(), RunState::failed);
    f.machine.fail("it broke again");  // when all is over
    QCOMPARE(f.machine.message(), "it broke");
  }

  void aSupervisorThatBreaksDuringABackOffEndsAtOnce() {
    MachineFixture f(1);
    crash(f);
    f.machine.fail("it broke");
    QCOMPARE(f.machine.state(), RunState::failed);
    QVERIFY(f.log.timer < 0);
  }

  // --- room ---

  void whatWaitsForAFirstStepIsConfinedToo() {
    MachineFixture f(2);
    launch_three(f);
    f.machine.rescale(5);
    f.machine.confine(4);
    QCOMPARE(f.machine.target().replicas, 4);
    f.machine.first_step();
    f.all_exit(3, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 4 rescale; ");
  }

  // The number that was asked for last counts, be there room for more or not.
  void whatWaitsIsNotReplacedByRoom() {
    MachineFixture f(2);
    launch_three(f);
    f.machine.rescale(1);
    f.machine.confine(2);
    QCOMPARE(f.machine.target().replicas, 1);
  }

  void fewerThanThereIsRoomForStayAsMany() {
    MachineFixture f(1);
    f.machine.rescale(Allocation(2, {"n2/cpu:0", "n2/cpu:1"}));
    f.machine.confine(5, [](const std::string& device) { return device.starts_with("n2/"); });
    QCOMPARE(f.machine.target(), Allocation(2));
    f.machine.confine(2);
    QCOMPARE(f.machine.target(), Allocation(2));
  }

  void whoLosesAllNamedDevicesTakesOthers() {
    MachineFixture f(1);
    f.machine.pause();
    f.all_exit(1, 143);
    f.machine.resume(Allocation(0, {"n2/cpu:0", "n2/cpu:1", "n2/cpu:2"}));
    f.machine.pause();
    f.all_exit(3, 143);
    f.machine.confine(4, [](const std::string& device) { return device.starts_with("n3/"); });
    QCOMPARE(f.machine.allocation().devices.size(), 3u);
    f.machine.confine(2, [](const std::string& device) { return device.starts_with("n2/"); });
    QVERIFY(f.machine.allocation() == Allocation(2));
  }
};

BATCHSCOPE_TEST(TestMachineMoments)
#include "test_machine_moments.moc"
