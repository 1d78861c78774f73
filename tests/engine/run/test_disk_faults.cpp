// SPDX-License-Identifier: Apache-2.0
//
// Faults of a disk: it is full, it is damaged, and folders are taken away.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "batchscope/protocol/manifest.h"
#include "batchscope/storage/samples.h"
#include "scenario.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;

class TestDiskFaults : public Scenario {
  Q_OBJECT

 private Q_SLOTS:
  void init() { begin(); }
  void aCheckpointThatCannotBeWrittenIsRefusedAtOnce() {
    const std::string id = train(1, {"--full-disk"});
    VERIFY_THROWS("io", "no space left", ask(id, Command::checkpoint));
    QVERIFY(trains(id, 1));
    VERIFY_RUN(stops(id));
  }

  void damagedSeriesDoNotHoldUpARun() {
    const std::string id = train(1);
    VERIFY_RUN(stops(id));
    const auto samples = protocol::run_paths(id).samples;
    std::ofstream(samples) << "no database at all, but long enough to look at: " << std::string(4096, '?');
    resume(id);
    VERIFY_RUN(trains(id, 1));
    QVERIFY(tells(id, "set aside as samples.db.damaged-1"));
    QVERIFY(std::filesystem::exists(samples.string() + ".damaged-1"));
    VERIFY_RUN(stops(id));
  }

  void aFullDiskPausesRecordingWhileTrainingGoesOn() {
    const std::string id = train(1, {"--step-ms", "5"});
    const auto step = [&] { return ask(id, Command::status).get<protocol::RunStatus>().step; };
    const auto recorded = [&] {
      const auto samples = storage::SampleReader(protocol::run_paths(id).samples).read("loss", 0);
      return samples.empty() ? 0 : samples.back().step;
    };
    QVERIFY(eventually([&] { return recorded() > 0; }));

    ControlClient client(id);
    QStringList alerts;
    QObject::connect(&client, &ControlClient::eventAdded,
                     [&](const QString& level, const QString& text) { alerts << level + ": " + text; });
    QVERIFY(eventually([&] { return client.connected(); }));
    const pid_t process = supervisor(id);
    rlimit unlimited{};
    const rlimit full{1, RLIM_INFINITY};
    QCOMPARE(prlimit(process, RLIMIT_FSIZE, &full, &unlimited), 0);
    QVERIFY2(eventually([&] { return !alerts.filter("training goes on").isEmpty(); }),
             alerts.join('\n').toUtf8());
    QVERIFY(alerts.filter("training goes on").first().startsWith("error: "));
    const auto paused_at = recorded(), then = step();
    QVERIFY(eventually([&] { return step() > then + 50; }));
    QCOMPARE(recorded(), paused_at);

    QCOMPARE(prlimit(process, RLIMIT_FSIZE, &unlimited, nullptr), 0);
    VERIFY_RUN(tells(id, "they are recorded again, and none is missing"));
    VERIFY_RUN(stops(id));
    const auto samples = storage::SampleReader(protocol::run_paths(id).samples).read("loss", 0);
    QVERIFY(static_cast<std::int64_t>(samples.size()) > then + 50);
    for (std::size_t i = 0; i < samples.size(); ++i)
      QCOMPARE(samples[i].step, static_cast<std::int64_t>(i) + 1);
  }

  // One in a folder's place, as on a damaged sector, cannot be read; a supervisor that died of that died of
  // it again whenever it was resumed.
  void aCheckpointThatCannotBeReadGivesWayToTheOneBefore() {
    const std::string id = train(1);
    for (int i = 0; i < 2; ++i) ask(id, Command::checkpoint);
    const auto manifest = protocol::run_paths(id).checkpoints / "checkpoint-000002" / "manifest.json";
    std::filesystem::remove(manifest);
    std::filesystem::create_directory(manifest);
    const auto supervisor = catalogue().run(id)->supervisor_pid;
    ::kill(replicas(id)[0].pid, SIGKILL);
    VERIFY_RUN(tells(id, "restarting at once from checkpoint-000001"));
    VERIFY_RUN(trains(id, 1));
    QCOMPARE(catalogue().generations(id).back().checkpoint, "checkpoint-000001");
    ask(id, Command::rescale, 2);
    VERIFY_RUN(trains(id, 2));
    QCOMPARE(catalogue().run(id)->supervisor_pid, supervisor);
    VERIFY_RUN(stops(id));
    resume(id);
    VERIFY_RUN(trains(id, 2));
    VERIFY_RUN(stops(id));
  }

  void aRunWhoseFoldersCannotBeMadeFailsWithAnEvent() {
    const std::string id = train(1);
    VERIFY_RUN(stops(id));
    const auto root = protocol::run_paths(id).root;
    std::filesystem::remove_all(root / "checkpoints");
    std::ofstream(root / "checkpoints") << "no folder\n";
    const pid_t supervisor = fork();
    if (supervisor == 0) {
      execl(BATCHSCOPE_TEST_BIN "/batchscope", "batchscope", "supervise", id.c_str(), nullptr);
      _exit(127);
    }
    waitpid(supervisor, nullptr, 0);
    QCOMPARE(catalogue().run(id)->state, RunState::failed);
    VERIFY_RUN(tells(id, "failed: "));
    VERIFY_RUN(tells(id, "/checkpoints"));
  }

  void socketsThatAreRemovedAreMadeAnew() {
    const std::string id = train(1);
    const auto runtime = protocol::run_paths(id).runtime;
    const pid_t process = supervisor(id);
    ::kill(process, SIGSTOP);
    std::filesystem::remove_all(runtime.parent_path());
    const std::string told = testing::thrown_by([&] { ask(id, Command::status); });
    ::kill(process, SIGCONT);
    VERIFY_HOLDS(told, "process " + std::to_string(process) + ", does not listen");
    QCOMPARE(testing::thrown_by([&] { ask(id, Command::status); }),
             std::string("nothing was thrown"));  // it waits
    QVERIFY(eventually([&] { return std::filesystem::exists(runtime / "control.sock"); }));
    VERIFY_RUN(tells(id, "are made again"));
    VERIFY_RUN(trains(id, 1));
    // Before the supervisor looks for them: a launch does.
    const pid_t replica = replicas(id)[0].pid;
    ::kill(replica, SIGSTOP);
    ask(id, Command::rescale, 2);
    std::filesystem::remove_all(runtime);
    ::kill(replica, SIGCONT);
    QVERIFY(eventually([&] { return catalogue().generations(id).size() == 2; }));
    QVERIFY(eventually([&] { return std::filesystem::exists(runtime / "control.sock"); }));
    VERIFY_RUN(trains(id, 2));
    VERIFY_RUN(stops(id));
  }

  void aRunWhoseFolderIsRemovedEndsWithALastCheckpoint() {
    const std::string id = train(1);
    const auto paths = protocol::run_paths(id);
    std::filesystem::rename(paths.root, file("away"));  // in one stroke, whatever is written there
    VERIFY_RUN(reaches(id, RunState::failed));
    const std::string message = catalogue().run(id)->message;
    VERIFY_HOLDS(message, paths.root.string() + " was removed while the run trained");
    const auto events = catalogue().events(id);
    QVERIFY(std::any_of(events.begin(), events.end(), [](const auto& event) {
      return event.level == "error" &&
             event.text.find("was removed while the run trained") != std::string::npos;
    }));
    QVERIFY(!protocol::list_checkpoints(paths.checkpoints).empty());
  }
};

BATCHSCOPE_TEST(TestDiskFaults)
#include "test_disk_faults.moc"
