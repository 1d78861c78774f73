// SPDX-License-Identifier: Apache-2.0
//
// The fork server with real processes: replicas are forked from one program, are the supervisor's own, and
// whatever becomes of their server costs a generation nothing but time.
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "batchscope/protocol/manifest.h"
#include "launch/program_file.h"
#include "scenario.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;
namespace fs = std::filesystem;

namespace {

pid_t supervisor(Scenario& scenario, const std::string& id) {
  return static_cast<pid_t>(scenario.catalogue().run(id)->supervisor_pid);
}

std::vector<ProcessId> replicas(const std::string& id) {
  return read_replicas(protocol::run_paths(id).root / "replicas.json");
}

// The children of the supervisor that are no replicas.
std::vector<ProcessId> servers(Scenario& scenario, const std::string& id) {
  const std::string pid = std::to_string(supervisor(scenario, id));
  std::ifstream in("/proc/" + pid + "/task/" + pid + "/children");
  const auto ours = replicas(id);
  std::vector<ProcessId> found;
  for (pid_t child; in >> child;)
    if (std::none_of(ours.begin(), ours.end(), [&](const ProcessId& r) { return r.pid == child; }))
      found.push_back(protocol::identify(child));
  return found;
}

int count_told(Scenario& scenario, const std::string& id, const std::string& part) {
  int count = 0;
  for (const auto& event : scenario.catalogue().events(id))
    count += event.text.find(part) != std::string::npos;
  return count;
}

void rescale(Scenario& scenario, const std::string& id, int count) {
  scenario.ask(id, Command::rescale, count);
  VERIFY_RUN(scenario.trains(id, count));
}

}  // namespace

class TestForks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyGenerationIsForkedFromOneServer() {
    Scenario scenario;
    const std::string id = scenario.train(1);
    const auto server = servers(scenario, id);
    QCOMPARE(server.size(), 1u);
    rescale(scenario, id, 3);
    rescale(scenario, id, 2);
    VERIFY_RUN(scenario.tells(id, "training on 1 replica, forked"));
    VERIFY_RUN(Scenario::eventually([&] { return count_told(scenario, id, ", forked") == 3; }));
    QCOMPARE(servers(scenario, id), server);
    for (const ProcessId& replica : replicas(id)) QCOMPARE(getsid(replica.pid), replica.pid);
    VERIFY_RUN(scenario.stops(id));
    QVERIFY(Scenario::eventually([&] { return !is_alive(server[0]); }));
  }

  void aResumedRunHasANewServer() {
    Scenario scenario;
    const std::string id = scenario.train(2);
    VERIFY_RUN(scenario.stops(id));
    resume_run(scenario.catalogue(), id);
    VERIFY_RUN(scenario.tells(id, "resumed on 2 replicas in"));
    QVERIFY(Scenario::eventually([&] { return count_told(scenario, id, ", forked") == 2; }));
    VERIFY_RUN(scenario.stops(id));
  }

  void aKilledServerTakesNobodyAlongAndIsReplaced() {
    Scenario scenario;
    const std::string id = scenario.train(2);
    const auto before = replicas(id);
    const auto server = servers(scenario, id);
    QCOMPARE(server.size(), 1u);
    ::kill(server[0].pid, SIGKILL);
    VERIFY_RUN(scenario.tells(id, "the fork server was killed by signal 9"));
    for (const ProcessId& replica : before) QVERIFY(is_alive(replica));
    VERIFY_RUN(scenario.tells(id, "a new fork server is ready"));
    QVERIFY(servers(scenario, id) != server);
    rescale(scenario, id, 1);
    VERIFY_RUN(Scenario::eventually([&] { return count_told(scenario, id, ", forked") == 2; }));
    VERIFY_RUN(scenario.stops(id));
  }

  void aStoppedServerIsGivenUp() {
    Scenario scenario;
    const std::string id = scenario.train(1);
    const auto server = servers(scenario, id);
    QCOMPARE(server.size(), 1u);
    ::kill(server[0].pid, SIGSTOP);
    rescale(scenario, id, 2);
    VERIFY_RUN(scenario.tells(id, "the fork server does not answer"));
    QVERIFY(!is_alive(server[0]));
    QCOMPARE(replicas(id).size(), 2u);
    VERIFY_RUN(scenario.stops(id));
  }

  void aKilledForkedReplicaIsACrashLikeAnyOther() {
    Scenario scenario;
    const std::string id = scenario.start(2, {"--steps", "100000", "--checkpoint-every", "10"});
    QVERIFY(Scenario::eventually([&] { return !scenario.catalogue().checkpoints(id).empty(); }));
    ::kill(replicas(id)[1].pid, SIGKILL);
    VERIFY_RUN(scenario.tells(id, "rank 1 was killed by signal 9"));
    VERIFY_RUN(scenario.tells(id, "restarted on 2 replicas in"));
    QCOMPARE(count_told(scenario, id, ", forked"), 2);
    VERIFY_RUN(scenario.stops(id));
  }

  void aServerDoesNotOutliveItsSupervisor() {
    Scenario scenario;
    const std::string id = scenario.train(1);
    const auto server = servers(scenario, id), replica = replicas(id);
    QCOMPARE(server.size(), 1u);
    ::kill(supervisor(scenario, id), SIGKILL);
    QVERIFY(Scenario::eventually([&] { return !is_alive(server[0]) && !is_alive(replica[0]); }));
    QVERIFY(protocol::newest_good_checkpoint(protocol::run_paths(id).checkpoints));
  }

  void aProgramBuiltAnewIsLoadedAnew() {
    Scenario scenario;
    auto spec = scenario.spec(1, {"--steps", "100000"});
    const fs::path program = scenario.file("program");
    fs::copy_file(spec.program, program);
    spec.program = program.string();
    const std::string id = start_run(scenario.catalogue(), spec);
    QVERIFY(scenario.trains(id, 1));
    const auto server = servers(scenario, id);
    QCOMPARE(server.size(), 1u);
    fs::copy_file(program, scenario.file("newer"));
    fs::rename(scenario.file("newer"), program);
    rescale(scenario, id, 2);
    QVERIFY(Scenario::eventually([&] { return !is_alive(server[0]); }));
    QCOMPARE(fs::read_symlink("/proc/" + std::to_string(replicas(id)[0].pid) + "/exe"), program);
    VERIFY_RUN(scenario.tells(id, "a new fork server is ready"));
    VERIFY_RUN(scenario.stops(id));
  }

  void aProgramWithThreadsIsExecutedAndSaysSoOnce() {
    Scenario scenario;
    const std::string id = scenario.train(1, {"--thread"});
    rescale(scenario, id, 2);
    rescale(scenario, id, 1);
    VERIFY_RUN(count_told(scenario, id, "2 threads when it calls init_process_group()") == 1);
    QCOMPARE(count_told(scenario, id, ", forked"), 0);
    VERIFY_RUN(scenario.stops(id));
  }

  void aScriptIsStartedOnceForEachReplica() {
    Scenario scenario;
    auto spec = scenario.spec(2, {});
    spec.program = scenario.file("script");
    std::ofstream(spec.program) << "#!/bin/sh\necho started >> started\nexec sleep 0.2\n";
    fs::permissions(spec.program, fs::perms::owner_all);
    const std::string id = start_run(scenario.catalogue(), spec);
    VERIFY_RUN(scenario.reaches(id, RunState::finished));
    QCOMPARE(count_told(scenario, id, "executed, not forked"), 1);
    std::ifstream in(scenario.file("started"));
    QCOMPARE(std::count(std::istreambuf_iterator<char>(in), {}, '\n'), 2);
  }

  void theNoteIsFoundAndNothingElseIs() {
    Scenario scenario;
    QVERIFY(knows_fork_server(scenario.spec(1, {}).program));
    QVERIFY(!knows_fork_server("/bin/sh"));
    QVERIFY(!knows_fork_server(scenario.file("nothing")));
    // Cut off within its headers.
    std::ifstream in(scenario.spec(1, {}).program, std::ios::binary);
    std::string head(200, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    std::ofstream(scenario.file("short"), std::ios::binary) << head;
    QVERIFY(!knows_fork_server(scenario.file("short")));
  }
};

BATCHSCOPE_TEST(TestForks)
#include "test_forks.moc"
