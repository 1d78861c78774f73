// SPDX-License-Identifier: Apache-2.0
//
// The fork server with real processes: replicas are forked from one program, are the supervisor's own, and
// whatever becomes of their server costs a generation nothing but time.
#include <algorithm>
#include <fstream>

#include "batchscope/protocol/manifest.h"
#include "forked_run.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;
namespace fs = std::filesystem;

class TestForks : public ForkedRun {
  Q_OBJECT

 private Q_SLOTS:
  void init() { begin(); }
  void aResumedRunHasANewServer() {
    const std::string id = train(2);
    VERIFY_RUN(stops(id));
    resume(id);
    VERIFY_RUN(tells(id, "resumed on 2 replicas in"));
    QVERIFY(eventually([&] { return count_told(id, ", forked") == 2; }));
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
};

BATCHSCOPE_TEST(TestForks)
#include "test_forks.moc"
