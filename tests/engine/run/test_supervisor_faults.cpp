// SPDX-License-Identifier: Apache-2.0
//
// Faults that a supervisor survives: garbage, an end of memory, its own end; and what it will not begin.
#include <fstream>

#include "batchscope/storage/samples.h"
#include "memory_end.h"
#include "rows.h"
#include "scenario.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;

class TestSupervisorFaults : public Scenario {
  Q_OBJECT

 private Q_SLOTS:
  void init() { begin(); }
  // The supervisor was killed while the store was full: all it left is a log.
  void aGenerationThatIsInNoCatalogueKeepsItsNumber() {
    const std::string id = train(1);
    VERIFY_RUN(stops(id));
    std::ofstream(protocol::run_paths(id).log_file(4, 0));
    resume(id);
    QVERIFY(trains(id, 1));
    QCOMPARE(catalogue().generations(id).back().number, 5);
    VERIFY_RUN(stops(id));
  }

  void whatReplicasUseIsRecorded() {
    const std::string id = train(2);
    QVERIFY(eventually([&] {
      storage::SampleReader samples(protocol::run_paths(id).samples);
      return !samples.read("device/cpu/1", 0).empty() && samples.read("device/memory/0", 0).size() > 1;
    }));
    storage::SampleReader samples(protocol::run_paths(id).samples);
    for (const storage::Sample& sample : samples.read("device/memory/0", 0)) {
      QVERIFY(sample.step > 0);
      QVERIFY(sample.value > 1e5);
    }
    for (const storage::Sample& sample : samples.read("device/cpu/1", 0)) QVERIFY(sample.value >= 0);
    VERIFY_RUN(stops(id));
  }

  void timeOutsThatConflictAreRefused() {
    auto spec = spec_of(1, {});
    spec.time_outs.step = 100;
    QVERIFY_THROWS_EXCEPTION(Error, start(spec));
    QVERIFY(catalogue().runs().empty());
  }

  // Here that memory runs out in the handler of a line of telemetry.
  void whatASupervisorDidNotForeseeEndsItsRunInOrder() {
#ifdef __SANITIZE_ADDRESS__
    QSKIP("the sanitizer's allocator does not throw");
#endif
    const std::string id = train(1);
    const auto replica = replicas(id)[0];
    VERIFY_RUN(runs_out_of_memory(id, supervisor(id)));
    VERIFY_RUN(reaches(id, RunState::failed));
    const auto run = catalogue().run(id);
    VERIFY_HOLDS(run->message, "cannot go on after an error: std::bad_alloc");
    VERIFY_RUN(tells(id, "failed: the supervisor cannot go on after an error"));
    QVERIFY(!is_alive(replica));
    QVERIFY(run->devices.empty());
    QCOMPARE(catalogue().checkpoints(id).size(), 1u);
    resume(id);
    VERIFY_RUN(trains(id, 1));
    QCOMPARE(catalogue().generations(id).back().checkpoint, "checkpoint-000001");
    VERIFY_RUN(stops(id));
  }

  void garbageFromAReplicaIsToldAndSkipped() {
    const std::string id = start(1, {"--steps", "20", "--garbage"});
    VERIFY_RUN(reaches(id, RunState::finished));
    VERIFY_RUN(tells(id, "is not valid and was skipped"));
    QCOMPARE(catalogue().generations(id).back().last_step, 20);
  }

  // As a program tells them that takes nanoseconds since 1970.
  void aTimeThatNoClockShowsIsToldAndBarsNothing_data() {
    testing::rows("line", {R"({"type":"epoch","epoch":0,"begin":true,"step":1,"mono":1e18})",
                           R"({"type":"epoch","epoch":0,"begin":false,"step":1,"mono":1e308})",
                           R"({"type":"epoch","epoch":0,"begin":true,"step":1,"mono":"nan"})",
                           R"({"type":"checkpoint","name":"checkpoint-000009","began":1e18,"mono":1e18})"});
  }
  void aTimeThatNoClockShowsIsToldAndBarsNothing() {
    QFETCH(QString, line);
    const std::string id = train(1, {"--checkpoint-every", "5", "--says", line.toStdString()});
    const std::string type = line.contains("epoch") ? "epoch" : "checkpoint";
    VERIFY_RUN(tells(id, "telemetry message \"" + type + "\", field \""));
    VERIFY_RUN(tells(id, "is not a time"));
    VERIFY_RUN(stops(id));
    QVERIFY(!catalogue().record(id).generations.empty());
    QVERIFY(!catalogue().checkpoints(id).empty());
    resume(id);
    VERIFY_RUN(trains(id, 1));
    VERIFY_RUN(stops(id));
  }

  void theLastWordsOfAShortRunAreHeard() {
    for (int i = 0; i < 5; ++i) {
      const std::string id = start(2, {"--steps", "3", "--step-ms", "0"});
      VERIFY_RUN(reaches(id, RunState::finished));
      QCOMPARE(catalogue().generations(id).back().last_step, 3);
    }
  }

  void aKilledSupervisorLeavesARunThatResumes() {
    const std::string id = start(2, {"--steps", "250"});
    QVERIFY(eventually([&] { return catalogue().run(id)->step > 0; }));
    const auto before = replicas(id);
    ::kill(supervisor(id), SIGKILL);
    QVERIFY(eventually([&] { return catalogue().run(id)->state == RunState::interrupted; }));
    resume(id);
    VERIFY_RUN(trains(id, 2));
    for (const auto& replica : before) QVERIFY(!is_alive(replica));  // never two generations at once
    VERIFY_RUN(reaches(id, RunState::finished));
    QVERIFY(!std::filesystem::exists(protocol::run_paths(id).runtime));  // sockets and rendezvous are gone
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].outcome, "interrupted");
    QVERIFY(generations[0].ended > generations[0].started);
    // The checkpoint that the replicas wrote when nobody listened is in the catalogue, and was used.
    QVERIFY(!generations[1].checkpoint.empty());
    const auto checkpoints = catalogue().checkpoints(id);
    QVERIFY(std::any_of(checkpoints.begin(), checkpoints.end(),
                        [&](const auto& c) { return c.name == generations[1].checkpoint; }));
  }

  void replicasThatOutliveTheirSupervisorAreEnded() {
    // The file is there once the replica ignores SIGTERM, which an executed one gets at its supervisor's end.
    const std::string steps = file("steps");
    auto spec = spec_of(1, {"--steps", "100000", "--silent", "--ignore-term", "--sent", steps});
    spec.time_outs = {.collective = 0.1, .step = 0, .checkpoint = 0.5};
    const std::string id = start(spec);
    QVERIFY(eventually(
        [&] { return std::filesystem::exists(steps) && catalogue().generations(id).size() == 1; }));
    const std::vector<ProcessId> before = replicas(id);
    QCOMPARE(before.size(), 1u);
    ::kill(supervisor(id), SIGKILL);
    QVERIFY(eventually([&] { return catalogue().run(id)->state == RunState::interrupted; }));
    QVERIFY(is_alive(before[0]));
    resume(id);
    QVERIFY(eventually([&] { return !is_alive(before[0]); }));
    QVERIFY(eventually([&] { return catalogue().generations(id).size() == 2; }));
    VERIFY_RUN(stops(id));
  }

  void whatCannotBeStartedIsRefused() {
    auto spec = spec_of(1, {});
    spec.program = file("nothing");
    QVERIFY_THROWS_EXCEPTION(Error, start(spec));
    for (const std::string& name : {std::string(), std::string("latest"), std::string("two\nlines"),
                                    std::string("\x1b[31m"), std::string("\xff"), std::string(201, 'n')}) {
      spec = spec_of(1, {});
      spec.name = name;
      QVERIFY_THROWS_EXCEPTION(Error, start(spec));
    }
    spec = spec_of(0, {});
    QVERIFY_THROWS_EXCEPTION(Error, start(spec));
    QVERIFY_THROWS_EXCEPTION(Error, ask("abcd1234", Command::status));
    QVERIFY(catalogue().runs().empty());
  }
};

BATCHSCOPE_TEST(TestSupervisorFaults)
#include "test_supervisor_faults.moc"
