// SPDX-License-Identifier: Apache-2.0
//
// What a supervisor lives through: garbage, an end of memory, its own end; and what it will not begin.
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>

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

class TestSupervisorFaults : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Its supervisor was killed while the store was full: all it left is a log.
  void aGenerationThatIsInNoCatalogueKeepsItsNumber() {
    Scenario scenario;
    const std::string id = scenario.train(1);
    VERIFY_RUN(scenario.stops(id));
    std::ofstream(protocol::run_paths(id).log_file(4, 0));
    resume_run(scenario.catalogue(), id);
    QVERIFY(scenario.trains(id, 1));
    QCOMPARE(scenario.catalogue().generations(id).back().number, 5);
    VERIFY_RUN(scenario.stops(id));
  }

  void whatReplicasUseIsRecorded() {
    Scenario scenario;
    const std::string id = scenario.train(2);
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
    VERIFY_RUN(scenario.stops(id));
  }

  void timeOutsThatConflictAreRefused() {
    Scenario scenario;
    auto spec = scenario.spec(1, {});
    spec.time_outs.step = 100;
    QVERIFY_THROWS_EXCEPTION(Error, start_run(scenario.catalogue(), spec));
    QVERIFY(scenario.catalogue().runs().empty());
  }

  // Here that memory runs out in the handler of a line of telemetry.
  void whatASupervisorDidNotForeseeEndsItsRunInOrder() {
#ifdef __SANITIZE_ADDRESS__
    QSKIP("the sanitizer's allocator does not throw");
#endif
    Scenario scenario;
    const std::string id = scenario.train(1);
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
    VERIFY_RUN(has_thrown(id));
    const rlimit any{RLIM_INFINITY, RLIM_INFINITY};
    QCOMPARE(prlimit(supervisor, RLIMIT_AS, &any, nullptr), 0);
    VERIFY_RUN(scenario.reaches(id, RunState::failed));
    for (const int line : lines) close(line);
    const auto run = scenario.catalogue().run(id);
    QVERIFY2(run->message.find("cannot go on from: std::bad_alloc") != std::string::npos,
             run->message.c_str());
    VERIFY_RUN(scenario.tells(id, "failed: the supervisor met with an error"));
    QVERIFY(!is_alive(replica));
    QVERIFY(run->devices.empty());
    QCOMPARE(scenario.catalogue().checkpoints(id).size(), 1u);
    resume_run(scenario.catalogue(), id);
    VERIFY_RUN(scenario.trains(id, 1));
    QCOMPARE(scenario.catalogue().generations(id).back().checkpoint, "checkpoint-000001");
    VERIFY_RUN(scenario.stops(id));
  }

  void garbageFromAReplicaIsToldAndSkipped() {
    Scenario scenario;
    const std::string id = scenario.start(1, {"--steps", "20", "--garbage"});
    VERIFY_RUN(scenario.reaches(id, RunState::finished));
    VERIFY_RUN(scenario.tells(id, "makes no sense"));
    QCOMPARE(scenario.catalogue().generations(id).back().last_step, 20);
  }

  void theLastWordsOfAShortRunAreHeard() {
    Scenario scenario;
    for (int i = 0; i < 5; ++i) {
      const std::string id = scenario.start(2, {"--steps", "3", "--step-ms", "0"});
      VERIFY_RUN(scenario.reaches(id, RunState::finished));
      QCOMPARE(scenario.catalogue().generations(id).back().last_step, 3);
    }
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
    VERIFY_RUN(scenario.trains(id, 2));
    for (const auto& replica : replicas) QVERIFY(!is_alive(replica));  // never two generations at once
    VERIFY_RUN(scenario.reaches(id, RunState::finished));
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
    VERIFY_RUN(scenario.stops(id));
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

BATCHSCOPE_TEST(TestSupervisorFaults)
#include "test_supervisor_faults.moc"
