// SPDX-License-Identifier: Apache-2.0
//
// What goes wrong with real replicas: crashes, hangs, memory that runs out, a count that cannot run.
#include "scenario.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;

class TestFaults : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aCrashGoesOnFromTheLastCheckpoint() {
    Scenario scenario;
    const std::string id = scenario.start(2, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30",
                                              "--crash-once", scenario.file("crashed")});
    VERIFY_RUN(scenario.reaches(id, RunState::finished));
    const auto generations = scenario.catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].outcome, "crashed: rank 0, signal 9");
    QCOMPARE(generations[1].reason, "crash");
    QCOMPARE(generations[1].checkpoint, "checkpoint-000001");
    QCOMPARE(generations[1].first_step, 21);
    QVERIFY(generations[1].pause > 0);
    VERIFY_RUN(scenario.tells(id, "rank 0 was killed by signal 9"));
    VERIFY_RUN(scenario.tells(id, "crashing as told"));
    VERIFY_RUN(scenario.tells(id, "went back to step 20"));
  }

  void aCheckpointThatWasNotToldOfCounts() {
    Scenario scenario;
    const std::string id = scenario.start(
        1, {"--steps", "60", "--crash-at", "30", "--crash-unsaid", "--crash-once", scenario.file("crashed")});
    VERIFY_RUN(scenario.reaches(id, RunState::finished));
    const auto checkpoints = scenario.catalogue().checkpoints(id);
    QCOMPARE(checkpoints.size(), 1u);
    QCOMPARE(checkpoints[0].generation, 0);
    QCOMPARE(scenario.catalogue().generations(id)[1].checkpoint, checkpoints[0].name);
    const auto ledger = scenario.catalogue().ledger(id);
    QCOMPARE(ledger.size(), 1u);  // what it says was trained on
    QCOMPARE(ledger[0].generation, 0);
    QCOMPARE(ledger[0].entry.to, 30);
  }

  void aCrashWithoutACheckpointStartsOver() {
    Scenario scenario;
    const std::string id =
        scenario.start(1, {"--steps", "20", "--crash-at", "5", "--crash-once", scenario.file("crashed")});
    VERIFY_RUN(scenario.reaches(id, RunState::finished));
    QCOMPARE(scenario.catalogue().generations(id).back().first_step, 1);
    QVERIFY(scenario.tells(id, "there is no checkpoint yet"));
  }

  void whoDiedOfAnothersDeathIsNotBlamed() {
    Scenario scenario;
    const std::string id = scenario.start(
        3, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30", "--crash-rank", "1",
            "--crash-once", scenario.file("crashed"), "--peers-first", "--crash-says", "exception",
            "--crash-text", "std::runtime_error: the sky is falling", "--crash-code", "1"});
    VERIFY_RUN(scenario.reaches(id, RunState::finished));
    QCOMPARE(scenario.catalogue().generations(id)[0].outcome, "crashed: rank 1, exit code 1");
    VERIFY_RUN(
        scenario.tells(id,
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
    Scenario scenario;
    auto spec = scenario.spec(2, {"--steps", "60", "--checkpoint-every", "20", "--hang-at", "30",
                                  "--crash-rank", rank.toStdString()});
    if (freeze) spec.arguments.push_back("--freeze");
    spec.time_outs = {.collective = 0.5, .step = freeze ? 3.0 : 1.0};  // silence takes two seconds
    const std::string id = start_run(scenario.catalogue(), spec);
    VERIFY_RUN(scenario.reaches(id, RunState::finished));
    const auto generations = scenario.catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].outcome, "crashed: rank " + rank.toStdString() + ", hang");
    QCOMPARE(generations[1].checkpoint, "checkpoint-000001");
    VERIFY_RUN(scenario.tells(id, "rank " + rank.toStdString() + " hangs: " +
                                      (freeze ? "its heartbeats stopped" : "it has computed for")));
  }

  void aHungReplicaDoesNotHoldUpAStop() {
    Scenario scenario;
    auto spec =
        scenario.spec(2, {"--steps", "60", "--checkpoint-every", "20", "--hang-at", "30", "--freeze"});
    spec.time_outs = {.collective = 0.5, .step = 3};
    const std::string id = start_run(scenario.catalogue(), spec);
    QVERIFY(Scenario::eventually([&] { return scenario.catalogue().run(id)->step == 29; }));
    VERIFY_RUN(scenario.stops(id));
    QCOMPARE(scenario.catalogue().generations(id)[0].outcome, "crashed: rank 0, hang");
    resume_run(scenario.catalogue(), id);
    VERIFY_RUN(scenario.reaches(id, RunState::finished));
    QCOMPARE(scenario.catalogue().generations(id)[1].checkpoint, "checkpoint-000001");
  }

  void memoryThatRanOutLowersTheLocalBatchSizeForGood() {
    Scenario scenario;
    const std::string id =
        scenario.start(1, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30", "--crash-once",
                           scenario.file("crashed"), "--crash-says", "exception", "--crash-text",
                           "c10::Error: DefaultCPUAllocator: can't allocate memory", "--crash-code", "1"});
    VERIFY_RUN(scenario.reaches(id, RunState::finished));
    QCOMPARE(scenario.catalogue().generations(id)[0].outcome, "crashed: rank 0, out of memory");
    VERIFY_RUN(
        scenario.tells(id,
                       "rank 0 ran out of memory: c10::Error: DefaultCPUAllocator: can't allocate memory; "
                       "it was at work on 100 samples, and gets at most 90 at a time"));
    QCOMPARE(scenario.catalogue().run(id)->spec.max_local_batch_size, 90);
  }

  void aGradientThatIsNotFiniteStopsWhereThatIsAskedFor() {
    Scenario scenario;
    auto spec = scenario.spec(1, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30",
                                  "--crash-once", scenario.file("crashed"), "--crash-says", "non_finite",
                                  "--crash-text", "step 30: not finite", "--crash-code", "1"});
    spec.non_finite = protocol::NonFinite::stop;
    const std::string id = start_run(scenario.catalogue(), spec);
    VERIFY_RUN(scenario.reaches(id, RunState::failed));
    QVERIFY(scenario.catalogue().run(id)->message.find("step 30: not finite") != std::string::npos);
    resume_run(scenario.catalogue(), id);
    VERIFY_RUN(scenario.reaches(id, RunState::finished));
    QCOMPARE(scenario.catalogue().generations(id)[1].first_step, 21);
  }

  void theRestartBudgetEnds() {
    Scenario scenario;
    auto spec = scenario.spec(1, {"--steps", "20", "--crash-at", "5", "--crash-code", "9"});
    spec.restart_budget = 1;
    const std::string id = start_run(scenario.catalogue(), spec);
    VERIFY_RUN(scenario.reaches(id, RunState::failed));
    const std::string message = scenario.catalogue().run(id)->message;
    QVERIFY2(message.find("budget of 1") != std::string::npos, message.c_str());
    QVERIFY2(message.find("crashing as told") != std::string::npos, message.c_str());
    QCOMPARE(scenario.catalogue().generations(id).size(), 2u);
    // And a person may try again.
    resume_run(scenario.catalogue(), id);
    VERIFY_RUN(scenario.reaches(id, RunState::failed));
    QCOMPARE(scenario.catalogue().generations(id).size(), 4u);
  }

  void aProgramThatNeverStartsFailsAfterTwoTries() {
    Scenario scenario;
    const std::string id = scenario.start(1, {"--die-on", "1"});
    VERIFY_RUN(scenario.reaches(id, RunState::failed));
    const std::string message = scenario.catalogue().run(id)->message;
    const std::string words = "; its log ends with: cannot run on 1 replicas (batchscope logs " + id +
                              " --generation 1 --replica 0)";
    QVERIFY2(message.ends_with(words), message.c_str());
  }

  void aCountThatHangsGivesWayToTheOldOne() {
    Scenario scenario;
    auto spec = scenario.spec(1, {"--steps", "100000", "--hang-on", "2"});
    spec.time_outs = {.collective = 0.1, .step = 0, .rescale = 0.5};
    const std::string id = start_run(scenario.catalogue(), spec);
    QVERIFY(scenario.trains(id, 1));
    scenario.ask(id, Command::rescale, 2);
    VERIFY_RUN(scenario.tells(id, "back to 1 replica"));
    VERIFY_RUN(scenario.trains(id, 1));
    VERIFY_RUN(scenario.stops(id));
  }

  void deafReplicasAreKilledAndTheRescaleGoesOn() {
    Scenario scenario;
    auto spec = scenario.spec(1, {"--steps", "100000", "--ignore-term", "--checkpoint-every", "10"});
    spec.time_outs = {.collective = 0.1, .step = 0, .checkpoint = 0.5};
    const std::string id = start_run(scenario.catalogue(), spec);
    QVERIFY(Scenario::eventually([&] { return !scenario.catalogue().checkpoints(id).empty(); }));
    scenario.ask(id, Command::rescale, 2);
    VERIFY_RUN(scenario.trains(id, 2));
    VERIFY_RUN(scenario.tells(id, "did not stop within 0.5 s"));
    QVERIFY(!scenario.catalogue().generations(id).back().checkpoint.empty());
    VERIFY_RUN(scenario.stops(id));
  }

  void aGenerationWithNothingLeftToDoFinishes() {
    Scenario scenario;
    // Rank 0 comes to the end while rank 1 dies; the new generation starts from the last checkpoint's end.
    const std::string id = scenario.start(2, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30",
                                              "--crash-rank", "1", "--crash-once", scenario.file("crashed")});
    VERIFY_RUN(scenario.reaches(id, RunState::finished));
    const auto generations = scenario.catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].outcome, "crashed: rank 1, signal 9");
    QCOMPARE(generations[1].checkpoint, "checkpoint-000003");
    QCOMPARE(generations[1].outcome, "finished");
  }

  void aProgramThatSaysNothingStillFinishes() {
    Scenario scenario;
    const std::string id = scenario.start(2, {"--steps", "20", "--silent"});
    VERIFY_RUN(scenario.reaches(id, RunState::finished));
  }
};

BATCHSCOPE_TEST(TestFaults)
#include "test_faults.moc"
