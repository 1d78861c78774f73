// SPDX-License-Identifier: Apache-2.0
//
// A run over two nodes, whose replicas a test plays: what the replica of the other one tells, gets and leaves
// comes to its supervisor as if it were here. The agent of the other node is on this machine.
#include <signal.h>

#include <algorithm>

#include "batchscope/storage/samples.h"
#include "played_run.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using protocol::RunStatus;
using Command = protocol::Request::Command;

class TestRunNodes : public PlayedRun {
  Q_OBJECT

  static void say_hello(const PlayedReplica& a, const PlayedReplica& b) {
    const double t = later();
    b.say_hello(t);
    a.say_hello(t);
    a.make_step(1, t);
  }
  // Returns what a replica has printed.
  static std::string printed(const std::string& id, int generation, int rank) {
    return testing::contents(protocol::run_paths(id).log_file(generation, rank));
  }

 private Q_SLOTS:
  void init() {
    begin();
    const std::string command = BATCHSCOPE_TEST_BIN "/batchscope-node serve --name n2 --listen 127.0.0.2";
    qputenv("BATCHSCOPE_NODES", "2");
    qputenv("BATCHSCOPE_NODE_COMMAND", command.c_str());
  }
  void cleanup() {
    end();
    for (const char* const name : {"BATCHSCOPE_NODES", "BATCHSCOPE_NODE_COMMAND"}) qunsetenv(name);
  }

  void aReplicaOfAnotherNodeIsOneLikeAnyOther() {
    const std::string id = start(played(2));
    const PlayedReplica a(file(""), 0, 0), b(file(""), 0, 1);
    QCOMPARE(a.variable("ADAPTDL_NUM_NODES"), "2");
    QCOMPARE(b.variable("ADAPTDL_REPLICA_RANK"), "1");
    QCOMPARE(b.variable("BATCHSCOPE_RENDEZVOUS_TOKEN"), a.variable("BATCHSCOPE_RENDEZVOUS_TOKEN"));
    QCOMPARE(a.variable("BATCHSCOPE_MEMORY_PATH"), "");  // which others could not read
    QCOMPARE(a.parent(), supervisor(id));
    QVERIFY(b.parent() != supervisor(id));
    const ProcessId agent = protocol::identify(b.parent());
    say_hello(a, b);
    b.tell(protocol::Notice{"info", "from afar", 1});
    VERIFY_RUN(comes_to(id, RunState::running) && tells(id, "from afar"));
    const auto devices = status(id).devices;
    QCOMPARE(std::count(devices.begin(), devices.end(), "n2/cpu:0"), 1);
    QVERIFY(eventually([&] { return printed(id, 0, 1) == "replica 0.1 begins\n"; }));
    QVERIFY(eventually([&] {
      storage::SampleReader samples(protocol::run_paths(id).samples);
      return !samples.read("device/memory/1", 0).empty() && !samples.read("device/memory/0", 0).empty();
    }));
    protocol::Request rescale;
    rescale.command = Command::rescale;
    rescale.replicas = 3;
    VERIFY_HOLDS(refusal(id, rescale), "conflict: 3 replicas on 2 nodes with 1 each: at most 2");
    ask(id, Command::rescale, 1);
    QVERIFY(a.gets("TERM\n") && b.gets("TERM\n"));
    b.exit(143);
    a.exit(143);
    const PlayedReplica c(file(""), 1, 0);
    QCOMPARE(c.variable("ADAPTDL_NUM_NODES"), "1");
    c.say_hello(later());
    c.make_step(2, later());
    VERIFY_RUN(comes_to(id, RunState::running));
    ask(id, Command::stop);
    c.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(catalogue().generations(id)[0].outcome, "checkpointed");
    QVERIFY(eventually([&] { return !is_alive(agent); }));
  }

  // Not even a single letter.
  void nothingThatIsPrintedElsewhereIsLost() {
    protocol::RunSpec spec = played(2);
    testing::write_file(spec.program, "#!/bin/sh\nprintf .\n");
    const std::string id = start(spec);
    VERIFY_RUN(reaches(id, RunState::finished));
    QCOMPARE(printed(id, 0, 0), ".");
    QCOMPARE(printed(id, 0, 1), ".");
  }

  void exitsSignalsAndTheEndOfANodeComeBack() {
    const std::string id = start(played(2));
    {
      const PlayedReplica a(file(""), 0, 0), b(file(""), 0, 1);
      say_hello(a, b);
      VERIFY_RUN(comes_to(id, RunState::running));
      b.exit(9);
      VERIFY_RUN(comes_to(id, RunState::restarting));
      a.exit(1);
    }
    {
      const PlayedReplica a(file(""), 1, 0), b(file(""), 1, 1);
      say_hello(a, b);
      VERIFY_RUN(comes_to(id, RunState::running));
      ::kill(b.process(), SIGSEGV);
      VERIFY_RUN(comes_to(id, RunState::restarting));
      a.exit(1);
    }
    {
      const PlayedReplica a(file(""), 2, 0), b(file(""), 2, 1);
      say_hello(a, b);
      VERIFY_RUN(comes_to(id, RunState::running));
      ::kill(b.parent(), SIGKILL);
      VERIFY_RUN(tells(id, "node n2 is gone: its agent's line closed"));
    }
    const PlayedReplica c(file(""), 3, 0);
    QCOMPARE(c.variable("ADAPTDL_NUM_REPLICAS"), "1");
    c.say_hello(later());
    c.make_step(2, later());
    VERIFY_RUN(comes_to(id, RunState::running));
    protocol::Request rescale;
    rescale.command = Command::rescale;
    rescale.replicas = 2;
    VERIFY_HOLDS(refusal(id, rescale), "2 replicas on 1 node with 1 each: at most 1");
    ask(id, Command::stop);
    c.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations[0].outcome, "crashed: rank 1, exit code 9");
    QCOMPARE(generations[1].outcome, "crashed: rank 1, signal 11");
    QCOMPARE(generations[2].outcome, "crashed: rank 1, node lost");
    QCOMPARE(generations[3].replicas, 1);
    VERIFY_HOLDS(story(id), "rank 1 ended with exit code 9", "rank 1 was killed by signal 11 (SIGSEGV)",
                 "node n2 is gone; restarting at once from");
  }

  void nodesThatDoNotComeAreDoneWithout() {
    qputenv("BATCHSCOPE_NODE_COMMAND", "/bin/false");
    const std::string id = start(played(2));
    PlayedReplica(file(""), 0, 0).exit(0);
    VERIFY_RUN(reaches(id, RunState::finished));
    VERIFY_HOLDS(story(id), "the command that starts agents ended early, with exit code 1",
                 "the present nodes have room for 1 replica, not for 2");
    QCOMPARE(catalogue().generations(id)[0].replicas, 1);

    protocol::RunSpec spec = played(1);  // for which there is room
    spec.working_directory = file("another");
    std::filesystem::create_directory(spec.working_directory);
    const std::string other = start(spec);
    PlayedReplica(spec.working_directory, 0, 0).exit(0);
    VERIFY_STORY(other, reaches(other, RunState::finished));
    QVERIFY(!testing::holds(story(other), "have room for"));
  }
};

BATCHSCOPE_TEST(TestRunNodes)
#include "test_run_nodes.moc"
