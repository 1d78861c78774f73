// SPDX-License-Identifier: Apache-2.0
//
// Faults of real replicas: crashes, hangs, memory that runs out, a count that cannot run.
#include "batchscope/storage/sweeps.h"
#include "scenario.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;

class TestFaults : public Scenario {
  Q_OBJECT

 private Q_SLOTS:
  void init() { begin(); }
  void aCrashGoesOnFromTheLastCheckpoint() {
    const std::string id = start(2, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30",
                                     "--crash-once", file("crashed")});
    VERIFY_RUN(reaches(id, RunState::finished));
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].outcome, "crashed: rank 0, signal 9");
    QCOMPARE(generations[1].reason, "crash");
    QCOMPARE(generations[1].checkpoint, "checkpoint-000001");
    QCOMPARE(generations[1].first_step, 21);
    QVERIFY(generations[1].pause > 0);
    VERIFY_RUN(tells(id, "rank 0 was killed by signal 9"));
    VERIFY_RUN(tells(id, "crashing as told"));
    VERIFY_RUN(tells(id, "went back to step 20"));
  }

  void aCheckpointThatWasNotToldOfCounts() {
    const std::string id =
        start(1, {"--steps", "60", "--crash-at", "30", "--crash-unsaid", "--crash-once", file("crashed")});
    VERIFY_RUN(reaches(id, RunState::finished));
    const auto checkpoints = catalogue().checkpoints(id);
    QCOMPARE(checkpoints.size(), 1u);
    QCOMPARE(checkpoints[0].generation, 0);
    QCOMPARE(catalogue().generations(id)[1].checkpoint, checkpoints[0].name);
    const auto ledger = catalogue().ledger(id);
    QCOMPARE(ledger.size(), 1u);  // what it says was trained on
    QCOMPARE(ledger[0].generation, 0);
    QCOMPARE(ledger[0].entry.to, 30);
  }

  void aCrashWithoutACheckpointStartsOver() {
    const std::string id = start(1, {"--steps", "20", "--crash-at", "5", "--crash-once", file("crashed")});
    VERIFY_RUN(reaches(id, RunState::finished));
    QCOMPARE(catalogue().generations(id).back().first_step, 1);
    QVERIFY(tells(id, "there is no checkpoint yet"));
  }

  void whoDiedOfAnothersDeathIsNotBlamed() {
    const std::string id =
        start(3, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30", "--crash-rank", "1",
                  "--crash-once", file("crashed"), "--peers-first", "--crash-says", "exception",
                  "--crash-text", "std::runtime_error: the sky is falling", "--crash-code", "1"});
    VERIFY_RUN(reaches(id, RunState::finished));
    QCOMPARE(catalogue().generations(id)[0].outcome, "crashed: rank 1, exit code 1");
    VERIFY_RUN(tells(id,
                     "rank 1 ended with exit code 1: std::runtime_error: the sky is falling; restarting "
                     "at once from checkpoint-000001 (step 20), so that "));
  }

  void aHangIsNamedAndEnded_data() {
    QTest::addColumn<QString>("rank");
    QTest::addColumn<bool>("freeze");
    for (const char* rank : {"0", "1"})
      for (const bool freeze : {false, true})
        QTest::addRow("rank %s %s", rank, freeze ? "freezes" : "loops") << rank << freeze;
  }
  void aHangIsNamedAndEnded() {
    QFETCH(QString, rank);
    QFETCH(bool, freeze);
    auto spec = spec_of(2, {"--steps", "60", "--checkpoint-every", "20", "--hang-at", "30", "--crash-rank",
                            rank.toStdString()});
    if (freeze) spec.arguments.push_back("--freeze");
    spec.time_outs = {.collective = 0.5, .step = freeze ? 3.0 : 1.0};  // silence takes two seconds
    const std::string id = start(spec);
    VERIFY_RUN(reaches(id, RunState::finished));
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].outcome, "crashed: rank " + rank.toStdString() + ", hang");
    QCOMPARE(generations[1].checkpoint, "checkpoint-000001");
    VERIFY_RUN(tells(id, "rank " + rank.toStdString() +
                             " hangs: " + (freeze ? "its heartbeats stopped" : "it has computed for")));
  }

  void aHungReplicaDoesNotHoldUpAStop() {
    auto spec = spec_of(2, {"--steps", "60", "--checkpoint-every", "20", "--hang-at", "30", "--freeze"});
    spec.time_outs = {.collective = 0.5, .step = 3};
    const std::string id = start(spec);
    QVERIFY(eventually([&] { return catalogue().run(id)->step == 29; }));
    VERIFY_RUN(stops(id));
    QCOMPARE(catalogue().generations(id)[0].outcome, "crashed: rank 0, hang");
    resume(id);
    VERIFY_RUN(reaches(id, RunState::finished));
    QCOMPARE(catalogue().generations(id)[1].checkpoint, "checkpoint-000001");
  }

  void memoryThatRanOutLowersTheLocalBatchSizeForGood() {
    const std::string id =
        start(1, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30", "--crash-once",
                  file("crashed"), "--crash-says", "exception", "--crash-text",
                  "c10::Error: DefaultCPUAllocator: can't allocate memory", "--crash-code", "1"});
    VERIFY_RUN(reaches(id, RunState::finished));
    QCOMPARE(catalogue().generations(id)[0].outcome, "crashed: rank 0, out of memory");
    VERIFY_RUN(tells(id,
                     "rank 0 ran out of memory: c10::Error: DefaultCPUAllocator: can't allocate memory; "
                     "it was working on 100 samples at a time, and gets at most 50"));
    QCOMPARE(catalogue().run(id)->spec.max_local_batch_size, 50);
  }

  void aGradientThatIsNotFiniteStopsWhereThatIsAskedFor() {
    auto spec = spec_of(
        1, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30", "--crash-once", file("crashed"),
            "--crash-says", "non_finite", "--crash-text", "step 30: not finite", "--crash-code", "1"});
    spec.non_finite = protocol::NonFinite::stop;
    const std::string id = start(spec);
    VERIFY_RUN(reaches(id, RunState::failed));
    QVERIFY(catalogue().run(id)->message.find("step 30: not finite") != std::string::npos);
    resume(id);
    VERIFY_RUN(reaches(id, RunState::finished));
    QCOMPARE(catalogue().generations(id)[1].first_step, 21);
  }

  void aTrialThatDivergesIsNotTriedAgain() {
    storage::Sweeps sweeps(catalogue());
    storage::Sweep sweep;
    sweep.name = "rates";
    sweeps.create(sweep);
    sweeps.begin_leg(sweep.name, 0, {});
    const std::string id =
        sweeps.submit(sweep.name, {},
                      spec_of(1, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30",
                                  "--crash-says", "non_finite", "--crash-code", "1"}));
    spawn_supervisor(id, 0, {});
    VERIFY_RUN(reaches(id, RunState::failed));
    QCOMPARE(catalogue().generations(id).size(), 1u);
  }

  void theRestartBudgetEnds() {
    auto spec = spec_of(1, {"--steps", "20", "--crash-at", "5", "--crash-code", "9"});
    spec.restart_budget = 1;
    const std::string id = start(spec);
    VERIFY_RUN(reaches(id, RunState::failed));
    const std::string message = catalogue().run(id)->message;
    VERIFY_HOLDS(message, "budget of 1");
    VERIFY_HOLDS(message, "crashing as told");
    QCOMPARE(catalogue().generations(id).size(), 2u);
    // A person may try again.
    resume(id);
    VERIFY_RUN(reaches(id, RunState::failed));
    QCOMPARE(catalogue().generations(id).size(), 4u);
  }

  void aProgramThatNeverStartsFailsAfterTwoTries() {
    const std::string id = start(1, {"--die-on", "1"});
    VERIFY_RUN(reaches(id, RunState::failed));
    const std::string message = catalogue().run(id)->message;
    const std::string words = "; its log ends with: cannot run on 1 replicas (batchscope logs " + id +
                              " --generation 1 --replica 0)";
    QVERIFY2(message.ends_with(words), message.c_str());
  }

  void aCountThatHangsGivesWayToTheOldOne() {
    auto spec = spec_of(1, {"--steps", "100000", "--hang-on", "2"});
    spec.time_outs = {.collective = 0.1, .step = 0, .rescale = 0.5};
    const std::string id = start(spec);
    QVERIFY(trains(id, 1));
    ask(id, Command::rescale, 2);
    VERIFY_RUN(tells(id, "back to 1 replica"));
    VERIFY_RUN(trains(id, 1));
    VERIFY_RUN(stops(id));
  }

  void deafReplicasAreKilledAndTheRescaleGoesOn() {
    auto spec = spec_of(1, {"--steps", "100000", "--ignore-term", "--checkpoint-every", "10"});
    spec.time_outs = {.collective = 0.1, .step = 0, .checkpoint = 0.5};
    const std::string id = start(spec);
    QVERIFY(eventually([&] { return !catalogue().checkpoints(id).empty(); }));
    ask(id, Command::rescale, 2);
    VERIFY_RUN(trains(id, 2));
    VERIFY_RUN(tells(id, "did not stop within 0.5 s"));
    QVERIFY(!catalogue().generations(id).back().checkpoint.empty());
    VERIFY_RUN(stops(id));
  }

  void aGenerationWithNothingLeftToDoFinishes() {
    // Rank 0 comes to the end while rank 1 dies; the new generation starts from the last checkpoint's end.
    const std::string id = start(2, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30",
                                     "--crash-rank", "1", "--crash-once", file("crashed")});
    VERIFY_RUN(reaches(id, RunState::finished));
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].outcome, "crashed: rank 1, signal 9");
    QCOMPARE(generations[1].checkpoint, "checkpoint-000003");
    QCOMPARE(generations[1].outcome, "finished");
  }

  void aProgramThatSaysNothingStillFinishes() {
    const std::string id = start(2, {"--steps", "20", "--silent"});
    VERIFY_RUN(reaches(id, RunState::finished));
  }
};

BATCHSCOPE_TEST(TestFaults)
#include "test_faults.moc"
