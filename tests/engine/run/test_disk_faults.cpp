// SPDX-License-Identifier: Apache-2.0
//
// What a disk does to a run: it is full, it is damaged, and folders are taken away.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "batchscope/protocol/manifest.h"
#include "batchscope/storage/samples.h"
#include "scenario.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;

class TestDiskFaults : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aCheckpointThatCannotBeWrittenIsRefusedAtOnce() {
    Scenario scenario;
    const std::string id = scenario.train(1, {"--full-disk"});
    try {
      scenario.ask(id, Command::checkpoint);
      QFAIL("there is no checkpoint");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::io);
      QVERIFY2(std::string(error.what()).find("no space left") != std::string::npos, error.what());
    }
    QVERIFY(scenario.trains(id, 1));
    VERIFY_RUN(scenario.stops(id));
  }

  void damagedSeriesDoNotHoldUpARun() {
    Scenario scenario;
    const std::string id = scenario.train(1);
    VERIFY_RUN(scenario.stops(id));
    const auto samples = protocol::run_paths(id).samples;
    std::ofstream(samples) << "no database at all, but long enough to look at: " << std::string(4096, '?');
    resume_run(scenario.catalogue(), id);
    VERIFY_RUN(scenario.trains(id, 1));
    QVERIFY(scenario.tells(id, "set aside as samples.db.damaged-1"));
    QVERIFY(std::filesystem::exists(samples.string() + ".damaged-1"));
    VERIFY_RUN(scenario.stops(id));
  }

  void aFullDiskPausesRecordingWhileTrainingGoesOn() {
    Scenario scenario;
    const std::string id = scenario.train(1, {"--step-ms", "5"});
    const auto step = [&] { return scenario.ask(id, Command::status).get<protocol::RunStatus>().step; };
    const auto recorded = [&] {
      const auto samples = storage::SampleReader(protocol::run_paths(id).samples).read("loss", 0);
      return samples.empty() ? 0 : samples.back().step;
    };
    QVERIFY(scenario.eventually([&] { return recorded() > 0; }));

    ControlClient client(id);
    QStringList alerts;
    QObject::connect(&client, &ControlClient::eventAdded,
                     [&](const QString& level, const QString& text) { alerts << level + ": " + text; });
    QVERIFY(scenario.eventually([&] { return client.connected(); }));
    const auto supervisor = static_cast<pid_t>(scenario.catalogue().run(id)->supervisor_pid);
    rlimit unlimited{};
    const rlimit full{1, RLIM_INFINITY};
    QCOMPARE(prlimit(supervisor, RLIMIT_FSIZE, &full, &unlimited), 0);
    QVERIFY2(scenario.eventually([&] { return !alerts.filter("training goes on").isEmpty(); }),
             alerts.join('\n').toUtf8());
    QVERIFY(alerts.filter("training goes on").first().startsWith("error: "));
    const auto paused_at = recorded(), then = step();
    QVERIFY(scenario.eventually([&] { return step() > then + 50; }));
    QCOMPARE(recorded(), paused_at);

    QCOMPARE(prlimit(supervisor, RLIMIT_FSIZE, &unlimited, nullptr), 0);
    VERIFY_RUN(scenario.tells(id, "they are recorded again, and none is missing"));
    VERIFY_RUN(scenario.stops(id));
    const auto samples = storage::SampleReader(protocol::run_paths(id).samples).read("loss", 0);
    QVERIFY(static_cast<std::int64_t>(samples.size()) > then + 50);
    for (std::size_t i = 0; i < samples.size(); ++i)
      QCOMPARE(samples[i].step, static_cast<std::int64_t>(i) + 1);
  }

  // One in a folder's place, as on a damaged sector, cannot be read; a supervisor that died of that died of
  // it again whenever it was resumed.
  void aCheckpointThatCannotBeReadGivesWayToTheOneBefore() {
    Scenario scenario;
    const std::string id = scenario.train(1);
    for (int i = 0; i < 2; ++i) scenario.ask(id, Command::checkpoint);
    const auto manifest = protocol::run_paths(id).checkpoints / "checkpoint-000002" / "manifest.json";
    std::filesystem::remove(manifest);
    std::filesystem::create_directory(manifest);
    const auto supervisor = scenario.catalogue().run(id)->supervisor_pid;
    ::kill(read_replicas(protocol::run_paths(id).root / "replicas.json")[0].pid, SIGKILL);
    VERIFY_RUN(scenario.tells(id, "restarting at once from checkpoint-000001"));
    VERIFY_RUN(scenario.trains(id, 1));
    QCOMPARE(scenario.catalogue().generations(id).back().checkpoint, "checkpoint-000001");
    scenario.ask(id, Command::rescale, 2);
    VERIFY_RUN(scenario.trains(id, 2));
    QCOMPARE(scenario.catalogue().run(id)->supervisor_pid, supervisor);
    VERIFY_RUN(scenario.stops(id));
    resume_run(scenario.catalogue(), id);
    VERIFY_RUN(scenario.trains(id, 2));
    VERIFY_RUN(scenario.stops(id));
  }

  void aRunWhoseFoldersCannotBeMadeFailsWithAnEvent() {
    Scenario scenario;
    const std::string id = scenario.train(1);
    VERIFY_RUN(scenario.stops(id));
    const auto root = protocol::run_paths(id).root;
    std::filesystem::remove_all(root / "checkpoints");
    std::ofstream(root / "checkpoints") << "no folder\n";
    const pid_t supervisor = fork();
    if (supervisor == 0) {
      execl(BATCHSCOPE_TEST_BIN "/batchscope", "batchscope", "supervise", id.c_str(), nullptr);
      _exit(127);
    }
    waitpid(supervisor, nullptr, 0);
    QCOMPARE(scenario.catalogue().run(id)->state, RunState::failed);
    VERIFY_RUN(scenario.tells(id, "failed: "));
    VERIFY_RUN(scenario.tells(id, "/checkpoints"));
  }

  void socketsThatAreRemovedAreMadeAnew() {
    Scenario scenario;
    const std::string id = scenario.train(1);
    const auto runtime = protocol::run_paths(id).runtime;
    const auto supervisor = static_cast<pid_t>(scenario.catalogue().run(id)->supervisor_pid);
    ::kill(supervisor, SIGSTOP);
    std::filesystem::remove_all(runtime.parent_path());
    std::string told;
    try {
      scenario.ask(id, Command::status);
    } catch (const Error& error) {
      told = error.what();
    }
    ::kill(supervisor, SIGCONT);
    QVERIFY2(told.find("process " + std::to_string(supervisor) + ", does not listen") != std::string::npos,
             told.c_str());
    QVERIFY(Scenario::eventually([&] { return std::filesystem::exists(runtime / "control.sock"); }));
    VERIFY_RUN(scenario.tells(id, "are made anew"));
    VERIFY_RUN(scenario.trains(id, 1));
    // Before the supervisor looks for them: a launch does.
    const pid_t replica = read_replicas(protocol::run_paths(id).root / "replicas.json")[0].pid;
    ::kill(replica, SIGSTOP);
    scenario.ask(id, Command::rescale, 2);
    std::filesystem::remove_all(runtime);
    ::kill(replica, SIGCONT);
    QVERIFY(Scenario::eventually([&] { return scenario.catalogue().generations(id).size() == 2; }));
    QVERIFY(Scenario::eventually([&] { return std::filesystem::exists(runtime / "control.sock"); }));
    VERIFY_RUN(scenario.trains(id, 2));
    VERIFY_RUN(scenario.stops(id));
  }

  void aRunWhoseFolderIsRemovedEndsWithALastCheckpoint() {
    Scenario scenario;
    const std::string id = scenario.train(1);
    const auto paths = protocol::run_paths(id);
    std::filesystem::rename(paths.root, scenario.file("away"));  // in one stroke, whatever is written there
    VERIFY_RUN(scenario.reaches(id, RunState::failed));
    const std::string message = scenario.catalogue().run(id)->message;
    QVERIFY2(message.find(paths.root.string() + " was removed while the run trained") != std::string::npos,
             message.c_str());
    const auto events = scenario.catalogue().events(id);
    QVERIFY(std::any_of(events.begin(), events.end(), [](const auto& event) {
      return event.level == "error" &&
             event.text.find("was removed while the run trained") != std::string::npos;
    }));
    QVERIFY(!protocol::list_checkpoints(paths.checkpoints).empty());
  }
};

BATCHSCOPE_TEST(TestDiskFaults)
#include "test_disk_faults.moc"
