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

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;
namespace fs = std::filesystem;

class TestForks : public Scenario {
  Q_OBJECT

 private Q_SLOTS:
  void init() { begin(); }
  void everyGenerationIsForkedFromOneServer() {
    const std::string id = train(1);
    const ProcessId server = the_server(id);
    rescale(id, 3);
    rescale(id, 2);
    VERIFY_RUN(tells(id, "training on 1 replica, forked"));
    VERIFY_RUN(eventually([&] { return count_told(id, ", forked") == 3; }));
    QVERIFY(the_server(id) == server);
    for (const ProcessId& replica : replicas(id)) QCOMPARE(getsid(replica.pid), replica.pid);
    VERIFY_RUN(stops(id));
    QVERIFY(eventually([&] { return !is_alive(server); }));
  }

  void aResumedRunHasANewServer() {
    const std::string id = train(2);
    VERIFY_RUN(stops(id));
    resume(id);
    VERIFY_RUN(tells(id, "resumed on 2 replicas in"));
    QVERIFY(eventually([&] { return count_told(id, ", forked") == 2; }));
    VERIFY_RUN(stops(id));
  }

  void theNextGenerationDoesNotWaitForTheEndOfTheOldProcesses() {
    const std::string id = train(2, {"--linger", file("end")});
    const auto before = replicas(id);
    rescale(id, 1);
    for (const ProcessId& replica : before) QVERIFY(is_alive(replica));
    std::ofstream(file("end")) << "";
    QVERIFY(eventually([&] { return !is_alive(before[0]) && !is_alive(before[1]); }));
    VERIFY_RUN(stops(id));
  }

  void aReplicaWithAGpuIsWaitedFor() {
    const std::string id = train(1, {"--linger", file("end"), "--device", "cuda:0"});
    const ProcessId before = replicas(id)[0];
    ask(id, Command::rescale, 2);
    QVERIFY(eventually([&] { return !catalogue().checkpoints(id).empty(); }));
    for (int turn = 0; turn < 3; ++turn) ask(id, Command::status);  // which is behind the goodbye
    QVERIFY(is_alive(before));
    QCOMPARE(replicas(id)[0], before);
    std::ofstream(file("end")) << "";
    VERIFY_RUN(trains(id, 2));
    QVERIFY(!is_alive(before));
    VERIFY_RUN(stops(id));
  }

  void aKilledServerTakesNobodyAlongAndIsReplaced() {
    const std::string id = train(2);
    const auto before = replicas(id);
    const ProcessId server = the_server(id);
    ::kill(server.pid, SIGKILL);
    VERIFY_RUN(tells(id, "the fork server was killed by signal 9"));
    for (const ProcessId& replica : before) QVERIFY(is_alive(replica));
    VERIFY_RUN(tells(id, "a new fork server is ready"));
    QVERIFY(the_server(id) != server);
    rescale(id, 1);
    VERIFY_RUN(eventually([&] { return count_told(id, ", forked") == 2; }));
    VERIFY_RUN(stops(id));
  }

  void aStoppedServerIsGivenUp() {
    const std::string id = train(1);
    const ProcessId server = the_server(id);
    ::kill(server.pid, SIGSTOP);
    rescale(id, 2);
    VERIFY_RUN(tells(id, "the fork server does not answer"));
    QVERIFY(!is_alive(server));
    QCOMPARE(replicas(id).size(), 2u);
    VERIFY_RUN(stops(id));
  }

  void aKilledForkedReplicaIsACrashLikeAnyOther() {
    const std::string id = start(2, {"--steps", "100000", "--checkpoint-every", "10"});
    QVERIFY(eventually([&] { return !catalogue().checkpoints(id).empty(); }));
    ::kill(replicas(id)[1].pid, SIGKILL);
    VERIFY_RUN(tells(id, "rank 1 was killed by signal 9"));
    VERIFY_RUN(tells(id, "restarted on 2 replicas in"));
    QCOMPARE(count_told(id, ", forked"), 2);
    VERIFY_RUN(stops(id));
  }

  void aServerDoesNotOutliveItsSupervisor() {
    const std::string id = train(1);
    const ProcessId server = the_server(id), replica = replicas(id)[0];
    ::kill(supervisor(id), SIGKILL);
    QVERIFY(eventually([&] { return !is_alive(server) && !is_alive(replica); }));
    QVERIFY(protocol::newest_good_checkpoint(protocol::run_paths(id).checkpoints));
  }

  void aProgramBuiltAnewIsLoadedAnew() {
    auto spec = spec_of(1, {"--steps", "100000"});
    const fs::path program = file("program");
    fs::copy_file(spec.program, program);
    spec.program = program.string();
    const std::string id = start(spec);
    QVERIFY(trains(id, 1));
    const ProcessId server = the_server(id);
    fs::copy_file(program, file("newer"));
    fs::rename(file("newer"), program);
    rescale(id, 2);
    QVERIFY(eventually([&] { return !is_alive(server); }));
    QCOMPARE(fs::read_symlink("/proc/" + std::to_string(replicas(id)[0].pid) + "/exe"), program);
    VERIFY_RUN(tells(id, "a new fork server is ready"));
    VERIFY_RUN(stops(id));
  }

  void aProgramWithThreadsIsExecutedAndSaysSoOnce() {
    const std::string id = train(1, {"--thread"});
    rescale(id, 2);
    rescale(id, 1);
    VERIFY_RUN(count_told(id, "2 threads when it calls init_process_group()") == 1);
    QCOMPARE(count_told(id, ", forked"), 0);
    VERIFY_RUN(stops(id));
  }

  void aScriptIsStartedOnceForEachReplica() {
    auto spec = spec_of(2, {});
    spec.program = file("script");
    std::ofstream(spec.program) << "#!/bin/sh\necho started >> started\nexec sleep 0.2\n";
    fs::permissions(spec.program, fs::perms::owner_all);
    const std::string id = start(spec);
    VERIFY_RUN(reaches(id, RunState::finished));
    QCOMPARE(count_told(id, "executed, not forked"), 1);
    std::ifstream in(file("started"));
    QCOMPARE(std::count(std::istreambuf_iterator<char>(in), {}, '\n'), 2);
  }

  void theNoteIsFoundAndNothingElseIs() {
    QVERIFY(knows_fork_server(spec_of(1, {}).program));
    QVERIFY(!knows_fork_server("/bin/sh"));
    QVERIFY(!knows_fork_server(file("nothing")));
    // Cut off within its headers.
    std::ifstream in(spec_of(1, {}).program, std::ios::binary);
    std::string head(200, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    std::ofstream(file("short"), std::ios::binary) << head;
    QVERIFY(!knows_fork_server(file("short")));
  }

 private:
  // The children of the supervisor that are not replicas.
  std::vector<ProcessId> servers(const std::string& id) {
    const std::string pid = std::to_string(supervisor(id));
    std::ifstream in("/proc/" + pid + "/task/" + pid + "/children");
    const auto ours = replicas(id);
    std::vector<ProcessId> found;
    for (pid_t child; in >> child;)
      if (std::none_of(ours.begin(), ours.end(), [&](const ProcessId& r) { return r.pid == child; }))
        found.push_back(protocol::identify(child));
    return found;
  }
  // The oldest of them: the others are forked from it, ahead.
  ProcessId the_server(const std::string& id) {
    const auto found = servers(id);
    if (found.empty()) throw Error(ErrorKind::failure, "there is no fork server");
    return *std::min_element(found.begin(), found.end(),
                             [](const auto& a, const auto& b) { return a.start < b.start; });
  }

  std::ptrdiff_t count_told(const std::string& id, const std::string& part) {
    const auto events = catalogue().events(id);
    return std::count_if(events.begin(), events.end(),
                         [&](const auto& event) { return testing::holds(event.text, part); });
  }

  void rescale(const std::string& id, int count) {
    ask(id, Command::rescale, count);
    VERIFY_RUN(trains(id, count));
  }
};

BATCHSCOPE_TEST(TestForks)
#include "test_forks.moc"
