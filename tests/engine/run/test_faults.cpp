// SPDX-License-Identifier: Apache-2.0
//
// What goes wrong with real processes: crashes, hangs, deaf replicas, garbage, a supervisor killed -9.
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "batchscope/protocol/manifest.h"
#include "batchscope/storage/samples.h"
#include "scenario.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;

namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Whether the run's supervisor has met with an exception that it did not foresee.
bool has_thrown(const std::string& id) {
  return contents(protocol::run_paths(id).root / "supervisor.log").find("thrown in an event's handler") !=
         std::string::npos;
}

// Whether the other end has taken all that was sent; also where it is gone.
bool is_read(int socket) {
  int unread = 0;
  return ioctl(socket, SIOCOUTQ, &unread) != 0 || unread == 0;
}

bool sleeps(pid_t process) {
  return contents("/proc/" + std::to_string(process) + "/stat").find(") S ") != std::string::npos;
}

}  // namespace

class TestFaults : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aCrashGoesOnFromTheLastCheckpoint() {
    Scenario scenario;
    const std::string id = scenario.start(2, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30",
                                              "--crash-once", scenario.file("crashed")});
    QVERIFY2(scenario.reaches(id, RunState::finished), scenario.story(id).c_str());
    const auto generations = scenario.catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].outcome, "crashed: rank 0, signal 9");
    QCOMPARE(generations[1].reason, "crash");
    QCOMPARE(generations[1].checkpoint, "checkpoint-000001");
    QCOMPARE(generations[1].first_step, 21);
    QVERIFY(generations[1].pause > 0);
    QVERIFY2(scenario.tells(id, "rank 0 was killed by signal 9"), scenario.story(id).c_str());
    QVERIFY2(scenario.tells(id, "crashing as told"), scenario.story(id).c_str());
    QVERIFY2(scenario.tells(id, "went back to step 20"), scenario.story(id).c_str());
  }

  void aCheckpointThatWasNotToldOfCounts() {
    Scenario scenario;
    const std::string id = scenario.start(
        1, {"--steps", "60", "--crash-at", "30", "--crash-unsaid", "--crash-once", scenario.file("crashed")});
    QVERIFY2(scenario.reaches(id, RunState::finished), scenario.story(id).c_str());
    const auto checkpoints = scenario.catalogue().checkpoints(id);
    QCOMPARE(checkpoints.size(), 1u);
    QCOMPARE(checkpoints[0].generation, 0);
    QCOMPARE(scenario.catalogue().generations(id)[1].checkpoint, checkpoints[0].name);
    const auto ledger = scenario.catalogue().ledger(id);
    QCOMPARE(ledger.size(), 1u);  // what it says was trained on
    QCOMPARE(ledger[0].generation, 0);
    QCOMPARE(ledger[0].entry.to, 30);
  }

  // Its supervisor was killed while the store was full: all it left is a log.
  void aGenerationThatIsInNoCatalogueKeepsItsNumber() {
    Scenario scenario;
    const std::string id = scenario.start(1, {"--steps", "100000"});
    QVERIFY(scenario.trains(id, 1));
    scenario.ask(id, Command::stop);
    QVERIFY(scenario.reaches(id, RunState::stopped));
    std::ofstream(protocol::run_paths(id).log_file(4, 0));
    resume_run(scenario.catalogue(), id);
    QVERIFY(scenario.trains(id, 1));
    QCOMPARE(scenario.catalogue().generations(id).back().number, 5);
    scenario.ask(id, Command::stop);
    QVERIFY(scenario.reaches(id, RunState::stopped));
  }

  void aCheckpointThatCannotBeWrittenIsRefusedAtOnce() {
    Scenario scenario;
    const std::string id = scenario.start(1, {"--steps", "100000", "--full-disk"});
    QVERIFY(scenario.trains(id, 1));
    try {
      scenario.ask(id, Command::checkpoint);
      QFAIL("there is no checkpoint");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::io);
      QVERIFY2(std::string(error.what()).find("no space left") != std::string::npos, error.what());
    }
    QVERIFY(scenario.trains(id, 1));
    scenario.ask(id, Command::stop);
    QVERIFY(scenario.reaches(id, RunState::stopped));
  }

  void damagedSeriesDoNotHoldUpARun() {
    Scenario scenario;
    const std::string id = scenario.start(1, {"--steps", "100000"});
    QVERIFY(scenario.trains(id, 1));
    scenario.ask(id, Command::stop);
    QVERIFY(scenario.reaches(id, RunState::stopped));
    const auto samples = protocol::run_paths(id).samples;
    std::ofstream(samples) << "no database at all, but long enough to look at: " << std::string(4096, '?');
    resume_run(scenario.catalogue(), id);
    QVERIFY2(scenario.trains(id, 1), scenario.story(id).c_str());
    QVERIFY(scenario.tells(id, "set aside as samples.db.damaged-1"));
    QVERIFY(std::filesystem::exists(samples.string() + ".damaged-1"));
    scenario.ask(id, Command::stop);
    QVERIFY2(scenario.reaches(id, RunState::stopped), scenario.story(id).c_str());
  }

  void aFullDiskPausesRecordingWhileTrainingGoesOn() {
    Scenario scenario;
    const std::string id = scenario.start(1, {"--steps", "100000", "--step-ms", "5"});
    QVERIFY(scenario.trains(id, 1));
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
    QVERIFY2(scenario.tells(id, "they are recorded again, and none is missing"), scenario.story(id).c_str());
    scenario.ask(id, Command::stop);
    QVERIFY2(scenario.reaches(id, RunState::stopped), scenario.story(id).c_str());
    const auto samples = storage::SampleReader(protocol::run_paths(id).samples).read("loss", 0);
    QVERIFY(static_cast<std::int64_t>(samples.size()) > then + 50);
    for (std::size_t i = 0; i < samples.size(); ++i)
      QCOMPARE(samples[i].step, static_cast<std::int64_t>(i) + 1);
  }

  void whatReplicasUseIsRecorded() {
    Scenario scenario;
    const std::string id = scenario.start(2, {"--steps", "100000"});
    QVERIFY(scenario.trains(id, 2));
    QVERIFY(scenario.eventually([&] {
      storage::SampleReader samples(protocol::run_paths(id).samples);
      return !samples.read("device/cpu/1", 0).empty() && samples.read("device/memory/0", 0).size() > 1;
    }));
    storage::SampleReader samples(protocol::run_paths(id).samples);
    for (const storage::Sample& sample : samples.read("device/memory/0", 0)) {
      QVERIFY(sample.step > 0);
      QVERIFY(sample.value > 1e5);
    }
    for (const storage::Sample& sample : samples.read("device/cpu/1", 0)) QVERIFY(sample.value >= 0);
    scenario.ask(id, Command::stop);
    QVERIFY2(scenario.reaches(id, RunState::stopped), scenario.story(id).c_str());
  }

  void aCrashWithoutACheckpointStartsOver() {
    Scenario scenario;
    const std::string id =
        scenario.start(1, {"--steps", "20", "--crash-at", "5", "--crash-once", scenario.file("crashed")});
    QVERIFY2(scenario.reaches(id, RunState::finished), scenario.story(id).c_str());
    QCOMPARE(scenario.catalogue().generations(id).back().first_step, 1);
    QVERIFY(scenario.tells(id, "there is no checkpoint yet"));
  }

  void whoDiedOfAnothersDeathIsNotBlamed() {
    Scenario scenario;
    const std::string id = scenario.start(
        3, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30", "--crash-rank", "1",
            "--crash-once", scenario.file("crashed"), "--peers-first", "--crash-says", "exception",
            "--crash-text", "std::runtime_error: the sky is falling", "--crash-code", "1"});
    QVERIFY2(scenario.reaches(id, RunState::finished), scenario.story(id).c_str());
    QCOMPARE(scenario.catalogue().generations(id)[0].outcome, "crashed: rank 1, exit code 1");
    QVERIFY2(
        scenario.tells(id,
                       "rank 1 ended with exit code 1: std::runtime_error: the sky is falling; restarting "
                       "at once from checkpoint-000001 (step 20), so that "),
        scenario.story(id).c_str());
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
    QVERIFY2(scenario.reaches(id, RunState::finished), scenario.story(id).c_str());
    const auto generations = scenario.catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].outcome, "crashed: rank " + rank.toStdString() + ", hang");
    QCOMPARE(generations[1].checkpoint, "checkpoint-000001");
    QVERIFY2(scenario.tells(id, "rank " + rank.toStdString() +
                                    " hangs: " + (freeze ? "its heartbeats stopped" : "it has computed for")),
             scenario.story(id).c_str());
  }

  void aHungReplicaDoesNotHoldUpAStop() {
    Scenario scenario;
    auto spec =
        scenario.spec(2, {"--steps", "60", "--checkpoint-every", "20", "--hang-at", "30", "--freeze"});
    spec.time_outs = {.collective = 0.5, .step = 3};
    const std::string id = start_run(scenario.catalogue(), spec);
    QVERIFY(Scenario::eventually([&] { return scenario.catalogue().run(id)->step == 29; }));
    scenario.ask(id, Command::stop);
    QVERIFY2(scenario.reaches(id, RunState::stopped), scenario.story(id).c_str());
    QCOMPARE(scenario.catalogue().generations(id)[0].outcome, "crashed: rank 0, hang");
    resume_run(scenario.catalogue(), id);
    QVERIFY2(scenario.reaches(id, RunState::finished), scenario.story(id).c_str());
    QCOMPARE(scenario.catalogue().generations(id)[1].checkpoint, "checkpoint-000001");
  }

  void memoryThatRanOutLowersTheLocalBatchSizeForGood() {
    Scenario scenario;
    const std::string id =
        scenario.start(1, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30", "--crash-once",
                           scenario.file("crashed"), "--crash-says", "exception", "--crash-text",
                           "c10::Error: DefaultCPUAllocator: can't allocate memory", "--crash-code", "1"});
    QVERIFY2(scenario.reaches(id, RunState::finished), scenario.story(id).c_str());
    QCOMPARE(scenario.catalogue().generations(id)[0].outcome, "crashed: rank 0, out of memory");
    QVERIFY2(
        scenario.tells(id,
                       "rank 0 ran out of memory: c10::Error: DefaultCPUAllocator: can't allocate memory; "
                       "it was at work on 100 samples, and gets at most 90 at a time"),
        scenario.story(id).c_str());
    QCOMPARE(scenario.catalogue().run(id)->spec.max_local_batch_size, 90);
  }

  void aGradientThatIsNotFiniteStopsWhereThatIsAskedFor() {
    Scenario scenario;
    auto spec = scenario.spec(1, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30",
                                  "--crash-once", scenario.file("crashed"), "--crash-says", "non_finite",
                                  "--crash-text", "step 30: not finite", "--crash-code", "1"});
    spec.non_finite = protocol::NonFinite::stop;
    const std::string id = start_run(scenario.catalogue(), spec);
    QVERIFY2(scenario.reaches(id, RunState::failed), scenario.story(id).c_str());
    QVERIFY(scenario.catalogue().run(id)->message.find("step 30: not finite") != std::string::npos);
    resume_run(scenario.catalogue(), id);
    QVERIFY2(scenario.reaches(id, RunState::finished), scenario.story(id).c_str());
    QCOMPARE(scenario.catalogue().generations(id)[1].first_step, 21);
  }

  void timeOutsThatConflictAreRefused() {
    Scenario scenario;
    auto spec = scenario.spec(1, {});
    spec.time_outs.step = 100;
    QVERIFY_THROWS_EXCEPTION(Error, start_run(scenario.catalogue(), spec));
    QVERIFY(scenario.catalogue().runs().empty());
  }

  void theRestartBudgetEnds() {
    Scenario scenario;
    auto spec = scenario.spec(1, {"--steps", "20", "--crash-at", "5", "--crash-code", "9"});
    spec.restart_budget = 1;
    const std::string id = start_run(scenario.catalogue(), spec);
    QVERIFY2(scenario.reaches(id, RunState::failed), scenario.story(id).c_str());
    const std::string message = scenario.catalogue().run(id)->message;
    QVERIFY2(message.find("budget of 1") != std::string::npos, message.c_str());
    QVERIFY2(message.find("crashing as told") != std::string::npos, message.c_str());
    QCOMPARE(scenario.catalogue().generations(id).size(), 2u);
    // And a person may try again.
    resume_run(scenario.catalogue(), id);
    QVERIFY2(scenario.reaches(id, RunState::failed), scenario.story(id).c_str());
    QCOMPARE(scenario.catalogue().generations(id).size(), 4u);
  }

  void aProgramThatNeverStartsFailsAfterTwoTries() {
    Scenario scenario;
    const std::string id = scenario.start(1, {"--die-on", "1"});
    QVERIFY2(scenario.reaches(id, RunState::failed), scenario.story(id).c_str());
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
    QVERIFY2(scenario.tells(id, "back to 1 replica"), scenario.story(id).c_str());
    QVERIFY2(scenario.trains(id, 1), scenario.story(id).c_str());
    scenario.ask(id, Command::stop);
    QVERIFY(scenario.reaches(id, RunState::stopped));
  }

  void deafReplicasAreKilledAndTheRescaleGoesOn() {
    Scenario scenario;
    auto spec = scenario.spec(1, {"--steps", "100000", "--ignore-term", "--checkpoint-every", "10"});
    spec.time_outs = {.collective = 0.1, .step = 0, .checkpoint = 0.5};
    const std::string id = start_run(scenario.catalogue(), spec);
    QVERIFY(Scenario::eventually([&] { return !scenario.catalogue().checkpoints(id).empty(); }));
    scenario.ask(id, Command::rescale, 2);
    QVERIFY2(scenario.trains(id, 2), scenario.story(id).c_str());
    QVERIFY2(scenario.tells(id, "did not stop within 0.5 s"), scenario.story(id).c_str());
    QVERIFY(!scenario.catalogue().generations(id).back().checkpoint.empty());
    scenario.ask(id, Command::stop);
    QVERIFY(scenario.reaches(id, RunState::stopped));
  }

  // One in a folder's place, as on a damaged sector, cannot be read; a supervisor that died of that died of
  // it again whenever it was resumed.
  void aCheckpointThatCannotBeReadGivesWayToTheOneBefore() {
    Scenario scenario;
    const std::string id = scenario.start(1, {"--steps", "100000"});
    QVERIFY(scenario.trains(id, 1));
    for (int i = 0; i < 2; ++i) scenario.ask(id, Command::checkpoint);
    const auto manifest = protocol::run_paths(id).checkpoints / "checkpoint-000002" / "manifest.json";
    std::filesystem::remove(manifest);
    std::filesystem::create_directory(manifest);
    const auto supervisor = scenario.catalogue().run(id)->supervisor_pid;
    ::kill(read_replicas(protocol::run_paths(id).root / "replicas.json")[0].pid, SIGKILL);
    QVERIFY2(scenario.tells(id, "restarting at once from checkpoint-000001"), scenario.story(id).c_str());
    QVERIFY2(scenario.trains(id, 1), scenario.story(id).c_str());
    QCOMPARE(scenario.catalogue().generations(id).back().checkpoint, "checkpoint-000001");
    scenario.ask(id, Command::rescale, 2);
    QVERIFY2(scenario.trains(id, 2), scenario.story(id).c_str());
    QCOMPARE(scenario.catalogue().run(id)->supervisor_pid, supervisor);
    scenario.ask(id, Command::stop);
    QVERIFY2(scenario.reaches(id, RunState::stopped), scenario.story(id).c_str());
    resume_run(scenario.catalogue(), id);
    QVERIFY2(scenario.trains(id, 2), scenario.story(id).c_str());
    scenario.ask(id, Command::stop);
    QVERIFY2(scenario.reaches(id, RunState::stopped), scenario.story(id).c_str());
  }

  void aRunWhoseFoldersCannotBeMadeFailsWithAnEvent() {
    Scenario scenario;
    const std::string id = scenario.start(1, {"--steps", "100000"});
    QVERIFY(scenario.trains(id, 1));
    scenario.ask(id, Command::stop);
    QVERIFY2(scenario.reaches(id, RunState::stopped), scenario.story(id).c_str());
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
    QVERIFY2(scenario.tells(id, "failed: "), scenario.story(id).c_str());
    QVERIFY2(scenario.tells(id, "/checkpoints"), scenario.story(id).c_str());
  }

  // Here that memory runs out in the handler of a line of telemetry.
  void whatASupervisorDidNotForeseeEndsItsRunInOrder() {
#ifdef __SANITIZE_ADDRESS__
    QSKIP("the sanitizer's allocator does not throw");
#endif
    Scenario scenario;
    const std::string id = scenario.start(1, {"--steps", "100000"});
    QVERIFY(scenario.trains(id, 1));
    const auto replica = read_replicas(protocol::run_paths(id).root / "replicas.json")[0];
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    protocol::run_paths(id).telemetry_socket.string().copy(address.sun_path, sizeof address.sun_path - 1);
    const auto supervisor = static_cast<pid_t>(scenario.catalogue().run(id)->supervisor_pid);
    const rlimit no_more{1, RLIM_INFINITY};
    QCOMPARE(prlimit(supervisor, RLIMIT_AS, &no_more, nullptr), 0);
    // Lines that do not end, together longer than what an allocator may have put by. One piece is dealt with
    // before the next, so that one handler meets with it, and the last checkpoint does not.
    const std::string piece(16 << 10, 'x');
    std::vector<int> lines;
    for (int i = 0; i < 10'000 && !has_thrown(id); ++i) {
      if (i % 900 == 0) {
        lines.push_back(socket(AF_UNIX, SOCK_STREAM, 0));
        QCOMPARE(::connect(lines.back(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
      }
      send(lines.back(), piece.data(), piece.size(), MSG_NOSIGNAL);
      for (int waited = 0; waited < 20'000 && !(is_read(lines.back()) && sleeps(supervisor)); ++waited)
        usleep(500);
    }
    QVERIFY2(has_thrown(id), scenario.story(id).c_str());
    const rlimit any{RLIM_INFINITY, RLIM_INFINITY};
    QCOMPARE(prlimit(supervisor, RLIMIT_AS, &any, nullptr), 0);
    QVERIFY2(scenario.reaches(id, RunState::failed), scenario.story(id).c_str());
    for (const int line : lines) close(line);
    const auto run = scenario.catalogue().run(id);
    QVERIFY2(run->message.find("cannot go on from: std::bad_alloc") != std::string::npos,
             run->message.c_str());
    QVERIFY2(scenario.tells(id, "failed: the supervisor met with an error"), scenario.story(id).c_str());
    QVERIFY(!is_alive(replica));
    QVERIFY(run->devices.empty());
    QCOMPARE(scenario.catalogue().checkpoints(id).size(), 1u);
    resume_run(scenario.catalogue(), id);
    QVERIFY2(scenario.trains(id, 1), scenario.story(id).c_str());
    QCOMPARE(scenario.catalogue().generations(id).back().checkpoint, "checkpoint-000001");
    scenario.ask(id, Command::stop);
    QVERIFY2(scenario.reaches(id, RunState::stopped), scenario.story(id).c_str());
  }

  void socketsThatAreRemovedAreMadeAnew() {
    Scenario scenario;
    const std::string id = scenario.start(1, {"--steps", "100000"});
    QVERIFY(scenario.trains(id, 1));
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
    QVERIFY2(scenario.tells(id, "are made anew"), scenario.story(id).c_str());
    QVERIFY2(scenario.trains(id, 1), scenario.story(id).c_str());
    // Before the supervisor looks for them: a launch does.
    const pid_t replica = read_replicas(protocol::run_paths(id).root / "replicas.json")[0].pid;
    ::kill(replica, SIGSTOP);
    scenario.ask(id, Command::rescale, 2);
    std::filesystem::remove_all(runtime);
    ::kill(replica, SIGCONT);
    QVERIFY(Scenario::eventually([&] { return scenario.catalogue().generations(id).size() == 2; }));
    QVERIFY(Scenario::eventually([&] { return std::filesystem::exists(runtime / "control.sock"); }));
    QVERIFY2(scenario.trains(id, 2), scenario.story(id).c_str());
    scenario.ask(id, Command::stop);
    QVERIFY2(scenario.reaches(id, RunState::stopped), scenario.story(id).c_str());
  }

  void aRunWhoseFolderIsRemovedEndsWithALastCheckpoint() {
    Scenario scenario;
    const std::string id = scenario.start(1, {"--steps", "100000"});
    QVERIFY(scenario.trains(id, 1));
    const auto paths = protocol::run_paths(id);
    std::filesystem::rename(paths.root, scenario.file("away"));  // in one stroke, whatever is written there
    QVERIFY2(scenario.reaches(id, RunState::failed), scenario.story(id).c_str());
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

  void garbageFromAReplicaIsToldAndSkipped() {
    Scenario scenario;
    const std::string id = scenario.start(1, {"--steps", "20", "--garbage"});
    QVERIFY2(scenario.reaches(id, RunState::finished), scenario.story(id).c_str());
    QVERIFY2(scenario.tells(id, "makes no sense"), scenario.story(id).c_str());
    QCOMPARE(scenario.catalogue().generations(id).back().last_step, 20);
  }

  void theLastWordsOfAShortRunAreHeard() {
    Scenario scenario;
    for (int i = 0; i < 5; ++i) {
      const std::string id = scenario.start(2, {"--steps", "3", "--step-ms", "0"});
      QVERIFY2(scenario.reaches(id, RunState::finished), scenario.story(id).c_str());
      QCOMPARE(scenario.catalogue().generations(id).back().last_step, 3);
    }
  }

  void aGenerationWithNothingLeftToDoFinishes() {
    Scenario scenario;
    // Rank 0 comes to the end while rank 1 dies; the new generation starts from the last checkpoint's end.
    const std::string id = scenario.start(2, {"--steps", "60", "--checkpoint-every", "20", "--crash-at", "30",
                                              "--crash-rank", "1", "--crash-once", scenario.file("crashed")});
    QVERIFY2(scenario.reaches(id, RunState::finished), scenario.story(id).c_str());
    const auto generations = scenario.catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].outcome, "crashed: rank 1, signal 9");
    QCOMPARE(generations[1].checkpoint, "checkpoint-000003");
    QCOMPARE(generations[1].outcome, "finished");
  }

  void aProgramThatSaysNothingStillFinishes() {
    Scenario scenario;
    const std::string id = scenario.start(2, {"--steps", "20", "--silent"});
    QVERIFY2(scenario.reaches(id, RunState::finished), scenario.story(id).c_str());
  }

  void aKilledSupervisorLeavesARunThatResumes() {
    Scenario scenario;
    const std::string id = scenario.start(2, {"--steps", "250"});
    QVERIFY(Scenario::eventually([&] { return scenario.catalogue().run(id)->step > 0; }));
    const auto replicas = read_replicas(protocol::run_paths(id).root / "replicas.json");
    const auto pid = static_cast<pid_t>(scenario.catalogue().run(id)->supervisor_pid);
    ::kill(pid, SIGKILL);
    QVERIFY(
        Scenario::eventually([&] { return scenario.catalogue().run(id)->state == RunState::interrupted; }));
    resume_run(scenario.catalogue(), id);
    QVERIFY2(scenario.trains(id, 2), scenario.story(id).c_str());
    for (const auto& replica : replicas) QVERIFY(!is_alive(replica));  // never two generations at once
    QVERIFY2(scenario.reaches(id, RunState::finished), scenario.story(id).c_str());
    QVERIFY(!std::filesystem::exists(protocol::run_paths(id).runtime));  // sockets and rendezvous are gone
    const auto generations = scenario.catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].outcome, "interrupted");
    QVERIFY(generations[0].ended > generations[0].started);
    // The checkpoint that the replicas wrote when nobody listened is in the catalogue, and was used.
    QVERIFY(!generations[1].checkpoint.empty());
    const auto checkpoints = scenario.catalogue().checkpoints(id);
    QVERIFY(std::any_of(checkpoints.begin(), checkpoints.end(),
                        [&](const auto& c) { return c.name == generations[1].checkpoint; }));
  }

  void replicasThatOutliveTheirSupervisorAreEnded() {
    Scenario scenario;
    auto spec = scenario.spec(1, {"--steps", "100000", "--silent", "--ignore-term"});
    spec.time_outs = {.collective = 0.1, .step = 0, .checkpoint = 0.5};
    const std::string id = start_run(scenario.catalogue(), spec);
    std::vector<ProcessId> replicas;
    QVERIFY(Scenario::eventually([&] {
      replicas = read_replicas(protocol::run_paths(id).root / "replicas.json");
      return !replicas.empty() && scenario.catalogue().generations(id).size() == 1;
    }));
    ::kill(static_cast<pid_t>(scenario.catalogue().run(id)->supervisor_pid), SIGKILL);
    QVERIFY(
        Scenario::eventually([&] { return scenario.catalogue().run(id)->state == RunState::interrupted; }));
    QVERIFY(is_alive(replicas[0]));
    resume_run(scenario.catalogue(), id);
    QVERIFY(Scenario::eventually([&] { return !is_alive(replicas[0]); }));
    QVERIFY(Scenario::eventually([&] { return scenario.catalogue().generations(id).size() == 2; }));
    scenario.ask(id, Command::stop);
    QVERIFY2(scenario.reaches(id, RunState::stopped), scenario.story(id).c_str());
  }

  void whatCannotBeStartedIsRefused() {
    Scenario scenario;
    auto spec = scenario.spec(1, {});
    spec.program = scenario.file("nothing");
    QVERIFY_THROWS_EXCEPTION(Error, start_run(scenario.catalogue(), spec));
    for (const std::string& name : {std::string(), std::string("latest"), std::string("two\nlines"),
                                    std::string("\x1b[31m"), std::string("\xff"), std::string(201, 'n')}) {
      spec = scenario.spec(1, {});
      spec.name = name;
      QVERIFY_THROWS_EXCEPTION(Error, start_run(scenario.catalogue(), spec));
    }
    spec = scenario.spec(0, {});
    QVERIFY_THROWS_EXCEPTION(Error, start_run(scenario.catalogue(), spec));
    QVERIFY_THROWS_EXCEPTION(Error, scenario.ask("abcd1234", Command::status));
    QVERIFY(scenario.catalogue().runs().empty());
  }
};

BATCHSCOPE_TEST(TestFaults)
#include "test_faults.moc"
