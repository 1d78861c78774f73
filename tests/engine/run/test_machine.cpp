// SPDX-License-Identifier: Apache-2.0
//
// Requests to the run's state machine, at any moment.
#include "machine_fixture.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::Trigger;

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
    QCOMPARE(machine.target().replicas, 3);
    machine.start(2, "start");
    QCOMPARE(machine.allocation().replicas, 3);
    QCOMPARE(log.take(), "launch 3 start; ");
  }

  void aRescaleCheckpointsAndLaunchesTheNewCount() {
    MachineFixture f(2);
    f.machine.rescale(3);
    QCOMPARE(f.machine.state(), RunState::restarting);
    QCOMPARE(f.machine.target().replicas, 3);
    QCOMPARE(f.log.timer, 120.0);
    f.all_exit(2, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 3 rescale; ");
    QCOMPARE(f.log.timer, 60.0);
    f.machine.first_step();
    QCOMPARE(f.machine.state(), RunState::running);
    QVERIFY(f.log.timer < 0);
  }

  void withoutACheckpointTheReplicasStay() {
    MachineFixture f(2);
    f.machine.rescale(3);
    f.log.take();
    f.machine.refused("the disk is full");
    QCOMPARE(f.machine.state(), RunState::running);
    QCOMPARE(f.machine.target().replicas, 2);
    QVERIFY(f.log.timer < 0);
    QVERIFY(f.log.tells("the run stays on 2 replicas"));
    QVERIFY(f.log.tells("the disk is full"));
    f.machine.rescale(1);
    f.all_exit(2, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 1 rescale; ");
  }

  void aRefusedPauseIsNone() {
    MachineFixture f(1);
    f.machine.pause();
    f.machine.refused("the disk is full");
    QCOMPARE(f.machine.state(), RunState::running);
    QVERIFY(f.log.tells("the run is not paused"));
  }

  void aStopThatCameDuringARefusedRescaleIsAskedForAgain() {
    MachineFixture f(1);
    f.machine.rescale(2);
    f.machine.stop();
    f.log.take();
    f.machine.refused("the disk is full");
    QCOMPARE(f.machine.state(), RunState::stopping);
    QCOMPARE(f.log.take(), "term; ");
  }

  void aRefusalOfAGenerationThatEndsAnywayCountsForNothing() {
    MachineFixture f(2);
    f.machine.rescale(3);
    f.machine.replica_exited(signalled(1, 9));
    f.machine.refused("its peer is gone");
    QCOMPARE(f.machine.state(), RunState::restarting);
  }

  void theNewestTargetWinsWhileTheOldGenerationEnds() {
    MachineFixture f(2);
    f.machine.rescale(3);
    f.machine.rescale(4);
    f.all_exit(2, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 4 rescale; ");
  }

  void aRescaleDuringALaunchWaitsForTheFirstStep() {
    MachineFixture f(2);
    f.machine.rescale(3);
    f.all_exit(2, 143);
    f.machine.rescale(5);
    f.machine.rescale(1);
    QCOMPARE(f.machine.target().replicas, 1);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 3 rescale; ");
    f.machine.first_step();
    f.all_exit(3, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 1 rescale; ");
  }

  void aRescaleToTheSameNumberIsARestart() {
    MachineFixture f(2);
    f.machine.rescale(2);
    f.all_exit(2, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 2 rescale; ");
  }

  void otherDevicesAreARestartWithAWayBack() {
    MachineFixture f(2);
    const Allocation there(2, {"cpu:2", "cpu:3"});
    f.machine.rescale(there);
    QVERIFY(f.machine.target() == there);
    f.all_exit(2, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 2 cpu:2 cpu:3 rescale; ");
    QCOMPARE(f.log.timer, 60.0);
    f.machine.time_out();
    f.all_exit(2, 1);
    QCOMPARE(f.log.take(), "kill; crashed: rank 0, exit code 1; launch 2 rescale; ");
    QVERIFY(f.log.tells("the restart on 2 replicas (cpu:2-3) failed, back to 2 replicas: "));
  }

  void namedDevicesAreKeptThroughCrashesAndRestartsInPlace() {
    MachineFixture f(1);
    f.machine.rescale(Allocation(0, {"cpu:3"}));
    f.all_exit(1, 143);
    f.machine.first_step();
    f.log.take();
    f.machine.replica_exited(signalled(0, 9));
    f.machine.time_out();
    QCOMPARE(f.log.take(), "crashed: rank 0, signal 9; launch 1 cpu:3 crash; ");
    f.machine.first_step();
    f.machine.rescale(f.machine.in_place(1));
    f.all_exit(1, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 1 cpu:3 rescale; ");
    f.machine.first_step();
    f.machine.triggered(Trigger::parse("step=4:replicas=1"));
    f.all_exit(1, 143);
    QCOMPARE(f.log.take(), "checkpointed; launch 1 cpu:3 trigger; ");
    f.machine.first_step();
    f.machine.rescale(f.machine.in_place(2));
    f.all_exit(1, 143);
    QCOMPARE(f.log.take(), "term; checkpointed; launch 2 rescale; ");
  }

  void aProgramThatFinishesWhileAskedToStopIsFinished() {
    MachineFixture f(2);
    f.machine.rescale(3);
    f.all_exit(2, 0);
    QCOMPARE(f.machine.state(), RunState::finished);
  }

  void aPauseKeepsTheNumberThatWasAskedFor() {
    {
      MachineFixture f(1);  // while the old generation ends
      f.machine.rescale(3);
      f.machine.pause();
      f.all_exit(1, 143);
      QCOMPARE(f.machine.state(), RunState::paused);
      QCOMPARE(f.machine.target().replicas, 3);
      f.log.take();
      f.machine.resume(0);
      QCOMPARE(f.log.take(), "launch 3 resume; ");
    }
    MachineFixture f(1);  // while the new one is launched
    f.machine.rescale(2);
    f.all_exit(1, 143);
    f.machine.rescale(3);
    f.machine.pause();
    f.all_exit(2, 143);
    f.log.take();
    f.machine.resume(4);
    QCOMPARE(f.log.take(), "launch 4 resume; ");
    QCOMPARE(f.machine.target().replicas, 4);
  }

  void aPersonsRescaleOutranksAScripts() {
    MachineFixture f(1);
    f.machine.rescale(3);
    f.machine.triggered(Trigger::parse("step=4:replicas=2"));
    f.log.take();
    f.all_exit(1, 143);
    QCOMPARE(f.log.take(), "checkpointed; launch 3 rescale; ");
  }

  void pauseAndResumeOnAnotherCount() {
    MachineFixture f(2);
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

  // A run whose devices cannot be reached when its supervisor begins waits for others.
  void restsFromTheStart() {
    Log log;
    RunMachine machine({120, 60, 3}, log);
    machine.rest({1, {"n2/cpu:0"}});
    QCOMPARE(machine.state(), RunState::paused);
    machine.resume({1, {"cpu:0"}});
    QCOMPARE(log.take(), "launch 1 cpu:0 resume; ");
  }

  void stopIsHeardAtAnyMoment() {
    {
      MachineFixture f(2);
      f.machine.stop();
      QCOMPARE(f.machine.state(), RunState::stopping);
      f.all_exit(2, 143);
      QCOMPARE(f.machine.state(), RunState::stopped);
      QVERIFY(conflicts([&] { f.machine.stop(); }));
    }
    {
      MachineFixture f(2);  // during a rescale
      f.machine.rescale(3);
      f.machine.stop();
      f.all_exit(2, 143);
      QCOMPARE(f.machine.state(), RunState::stopped);
    }
    {
      MachineFixture f(2);  // during a launch, before there is a handler for SIGTERM
      f.machine.rescale(1);
      f.all_exit(2, 143);
      f.machine.stop();
      f.machine.replica_exited(signalled(0, 15));
      QCOMPARE(f.machine.state(), RunState::stopped);
      VERIFY_HOLDS(f.log.take(), "ended without a checkpoint; ");
      QVERIFY(
          f.log.tells("warning: the program ended without a checkpoint when it was asked to stop; going on"));
    }
    {
      MachineFixture f(1);  // while backing off
      f.machine.replica_exited(signalled(0, 9));
      f.machine.stop();
      QCOMPARE(f.machine.state(), RunState::stopped);
    }
    {
      MachineFixture f(1);  // while paused
      f.machine.pause();
      f.all_exit(1, 143);
      f.machine.stop();
      QCOMPARE(f.machine.state(), RunState::stopped);
    }
  }

  void aTriggerIsCarriedOutWithoutASignal() {
    MachineFixture f(2);
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
    MachineFixture f(2);
    f.machine.triggered(Trigger::parse("step=4:pause"));
    f.machine.triggered(Trigger::parse("step=4:pause"));
    f.all_exit(2, 143);
    QCOMPARE(f.machine.state(), RunState::paused);
  }

  void anExit143ThatNobodyHereAskedForStopsTheRun() {
    MachineFixture f(2);
    f.all_exit(2, 143);
    QCOMPARE(f.machine.state(), RunState::stopped);
    QVERIFY(!f.machine.message().empty());
  }

  void aRescaleWhileACrashIsHandledSetsTheNextCount() {
    MachineFixture f(2);
    f.machine.replica_exited(signalled(0, 9));
    f.machine.rescale(1);
    f.machine.replica_exited(exited(1, 1));
    f.machine.time_out();
    QCOMPARE(f.log.take(), "crashed: rank 0, signal 9; launch 1 crash; ");
  }
};

BATCHSCOPE_TEST(TestMachine)
#include "test_machine.moc"
