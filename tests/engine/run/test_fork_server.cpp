// SPDX-License-Identifier: Apache-2.0
//
// The fork server with real processes: what is forked, when it is started anew, and what is executed instead.
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "forked_run.h"
#include "launch/program_file.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
namespace fs = std::filesystem;

class TestForkServer : public ForkedRun {
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

  void theNextGenerationDoesNotWaitForTheEndOfTheOldProcesses() {
    const std::string id = train(2, {"--linger", file("end")});
    const auto before = replicas(id);
    rescale(id, 1);
    for (const ProcessId& replica : before) QVERIFY(is_alive(replica));
    std::ofstream(file("end")) << "";
    QVERIFY(eventually([&] { return !is_alive(before[0]) && !is_alive(before[1]); }));
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
};

BATCHSCOPE_TEST(TestForkServer)
#include "test_fork_server.moc"
