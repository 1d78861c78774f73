// SPDX-License-Identifier: Apache-2.0
//
// A supervisor's agents: who is fetched, who comes, who is left out, and who is dismissed. The
// command that reaches nodes is a script on this machine.
#include "nodes/node_agents.h"

#include <signal.h>
#include <sys/wait.h>

#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "rows.h"
#include "system/process_table.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"
#include "waiting_replicas.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::NodeHost;
namespace fs = std::filesystem;

class TestNodeAgents : public QObject {
  Q_OBJECT

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<NodeAgents> agents_;
  std::string told_;
  std::vector<std::string> lost_;

  std::string file(const std::string& name) const { return folder_->filePath(name.c_str()).toStdString(); }
  static bool eventually(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 20000); }
  std::string heard() { return std::exchange(told_, {}); }

  // Returns the pool's command: HOST PROGRAM serve --name NODE.
  std::string reach(const std::string& line = "host=$1; shift; exec \"$@\" --listen $host") const {
    testing::write_file(file("reach"), "#!/bin/sh\necho \"$1 $5\" >> " + file("called") + "\n" + line + "\n");
    fs::permissions(file("reach"), fs::perms::owner_all);
    return file("reach");
  }

  NodeAgents& make(NodePlan plan = {}) {
    agents_ = std::make_unique<NodeAgents>(std::move(plan), ReplicaOrder{"/bin/true", {}, file(""), {}, {}},
                                           file("telemetry"), file("checkpoints"));
    agents_->on_news = [this](const std::string& level, const std::string& text) {
      if (level != "debug") told_ += level + ": " + text + "\n";
    };
    agents_->on_lost = [this](const std::string& node) { lost_.push_back(node); };
    return *agents_;
  }
  // Returns whether it was settled, which it is from the event loop.
  bool fetched(const std::vector<NodeHost>& nodes, const std::string& by) {
    bool settled = false;
    agents_->fetch(nodes, by, false, [&] { settled = true; });
    return !settled && eventually([&] { return settled; });
  }
  // Returns the status of a replica there, and what it printed.
  std::pair<std::string, int> ran(const std::string& node, const std::string& line) const {
    fs::remove(file("log"));
    ReplicaOrder order{"/bin/sh", {"-c", line}, file(""), {}, file("log")};
    order.node = node;
    const int status = WaitingReplicas::status_of(agents_->launch(order));
    return {testing::contents(file("log")), status};
  }

 private Q_SLOTS:
  void initTestCase() { qputenv("BATCHSCOPE_BIN", BATCHSCOPE_TEST_BIN); }
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    fs::create_directory(file("checkpoints"));
    told_.clear();
    lost_.clear();
  }
  void cleanup() {
    if (agents_) agents_->dismiss();
    agents_.reset();
    for (const pid_t child : run::children()) {
      ::kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }

  void nodesAreFetchedOnceAndHaveReplicas() {
    NodeAgents& agents = make();
    QVERIFY(!agents.is_there("n2") && agents.nodes().empty());
    QCOMPARE(agents.address("n2"), "");
    VERIFY_THROWS("conflict", "node n2 is gone", ran("n2", "true"));
    QVERIFY(fetched({{"n3", "127.0.0.3"}, {"n2", "127.0.0.2"}}, reach()));
    QCOMPARE(heard(), "");
    QVERIFY(agents.is_ready("n2") && agents.is_ready("n3") && agents.is_there("n3"));
    QVERIFY(!agents.is_ready("n4") && !agents.is_there("n4"));
    QCOMPARE(agents.nodes().size(), 2u);
    QCOMPARE(agents.nodes()[0].name, "n2");
    QCOMPARE(agents.nodes()[1].name, "n3");
    QVERIFY(agents.nodes()[0].machine.cores == Machine::here().cores);
    QCOMPARE(agents.address("n2"), "127.0.0.2");
    QCOMPARE(agents.address("n3"), "127.0.0.3");
    QVERIFY(agents.address("").starts_with("127.0.0."));
    QVERIFY(std::abs(agents.clock_offset("n2")) < 20);
    QCOMPARE(agents.clock_offset("n4"), 0.0);
    QVERIFY(!agents.nodes_missing());

    // A stand-in has what its supervisor has.
    ReplicaOrder waiting{"/bin/sh", {"-c", "sleep 1000 & wait"}, file(""), {}, file("log")};
    waiting.node = "n2";
    const pid_t stand_in = agents.launch(waiting);
    QVERIFY(eventually([&] {
      return testing::holds(
          testing::contents("/proc/" + std::to_string(stand_in) + "/environ"),
          std::string("BATCHSCOPE_BIN=" BATCHSCOPE_TEST_BIN "\0", sizeof BATCHSCOPE_TEST_BIN + 15));
    }));
    ::kill(stand_in, SIGTERM);
    QCOMPARE(WaitingReplicas::status_of(stand_in), SIGTERM);
    QCOMPARE(ran("n2", "echo here; exit 3"), (std::pair<std::string, int>("here\n", W_EXITCODE(3, 0))));
    QCOMPARE(ran("n3", "kill -SEGV $$").second & 0x7f, SIGSEGV);
    QVERIFY(fetched({{"n2", "127.0.0.2"}}, reach()));
    QVERIFY(fetched({}, reach()));
    QCOMPARE(agents.take_use(5).size(), 0u);
    const std::string calls = testing::contents(file("called"));
    QVERIFY2(calls == "127.0.0.3 n3\n127.0.0.2 n2\n" || calls == "127.0.0.2 n2\n127.0.0.3 n3\n",
             calls.c_str());
  }

  // A supervisor dismisses those that nobody has asked to keep.
  void whoIsNotNeededIsDismissed() {
    NodeAgents& agents = make();
    QVERIFY(fetched({{"n2", "127.0.0.2"}, {"n3", "127.0.0.3"}}, reach()));
    bool settled = false;
    agents.fetch({}, reach(), false, [&] { settled = true; });
    agents.keep({});  // somebody waits for them
    QVERIFY(agents.is_ready("n2") && agents.is_ready("n3"));
    QVERIFY(eventually([&] { return settled; }));
    agents.keep({"n2"});
    QVERIFY(agents.is_ready("n2") && !agents.is_there("n3"));
    QCOMPARE(agents.nodes().size(), 1u);
    QVERIFY(lost_.empty());
    QVERIFY(eventually([&] { return waitpid(-1, nullptr, WNOHANG) > 0; }));
    QVERIFY(fetched({{"n3", "127.0.0.3"}}, reach()));
    QVERIFY(agents.is_ready("n3"));
    const pid_t left = run::children().at(0);
    agents.dismiss();
    QVERIFY(!agents.is_there("n2") && !agents.is_there("n3"));
    QVERIFY(!is_alive(protocol::identify(left)));
  }

  void whoseAgentEndsIsLost() {
    NodeAgents& agents = make();
    QVERIFY(fetched({{"n2", "127.0.0.2"}}, reach()));
    const pid_t agent = run::children().at(0);
    ::kill(agent, SIGKILL);
    QVERIFY(eventually([&] { return !lost_.empty(); }));
    QVERIFY(lost_ == std::vector<std::string>{"n2"});
    QCOMPARE(heard(), "error: node n2 is gone: its agent's line closed\n");
    QVERIFY(!agents.is_there("n2") && agents.nodes().empty());
    QVERIFY(!agents.take_exited(getpid(), 0));
    QVERIFY(agents.take_exited(agent, WaitingReplicas::status_of(agent)));
    QCOMPARE(heard(), "");                             // it was there
    QVERIFY(fetched({{"n2", "127.0.0.2"}}, reach()));  // another one
    QVERIFY(agents.is_ready("n2"));
    QCOMPARE(lost_.size(), 1u);
    QVERIFY(!agents.take_exited(agent, 0));  // who has another in its place
  }

  void whoDoesNotComeIsToldOf() {
    NodeAgents& agents = make();
    bool settled = false;
    agents.fetch({{"n2", "127.0.0.2"}}, reach("exit 3"), false, [&] { settled = true; });
    const pid_t command = run::children().at(0);
    QVERIFY(agents.take_exited(command, WaitingReplicas::status_of(command)));
    QVERIFY(eventually([&] { return settled; }));
    QCOMPARE(
        heard(),
        "warning: the command that starts agents ended early, with exit code 3; what it printed is in the "
        "run's supervisor.log\n");
    QVERIFY(!agents.is_there("n2") && lost_.empty());
  }

  void whoIsNotWhoWasCalledIsLeftOut_data() {
    const auto row = testing::columns<QString, QString>({"line", "trouble"});
    row("another node", "exec \"$2\" serve --name n7 --listen $1",
        "warning: an agent that came is left out: node n2 calls itself n7\n");
    row("no offer", "echo Welcome to n2; read -r line",
        "warning: the command that starts agents wrote a line that is not an offer of a node: ");
    row("no lines", "head -c 2000000 /dev/zero | tr '\\0' x; read -r line",
        "warning: the command that starts agents writes no lines: ");
    row("other lines",
        "read -r line; echo \"$line\" | sed s/false/true/ | \"$2\" serve --name n2 --listen $1",
        "error: node n2 is left out: its agent encrypts its lines, which nobody asked for; use the same "
        "batchscope on all nodes\n");
  }
  void whoIsNotWhoWasCalledIsLeftOut() {
    QFETCH(QString, line);
    QFETCH(QString, trouble);
    NodeAgents& agents = make();
    agents.fetch({{"n2", "127.0.0.2"}}, reach(line.toStdString()), false, [] {});
    QVERIFY(eventually([&] { return !told_.empty(); }));
    QVERIFY2(told_.starts_with(trouble.toStdString()), told_.c_str());
    QTest::qWait(20);  // nothing more is said of it
    QCOMPARE(std::count(told_.begin(), told_.end(), '\n'), 1);
    QVERIFY(agents.nodes().empty() && !agents.is_there("n7"));
  }

  // A plan's command starts all of its agents.
  void plannedNodesAreWaitedFor() {
    const std::string serve = BATCHSCOPE_TEST_BIN "/batchscope-node serve --name ";
    testing::write_file(file("both"), "#!/bin/sh\ncd " + file("") + "\nread -r line\nmkfifo two\n" + serve +
                                          "n2 --listen 127.0.0.2 <two &\nexec 4>two\necho \"$line\" >&4\n"
                                          "(echo \"$line\"; cat) | " +
                                          serve + "n3 --listen 127.0.0.3\n");
    fs::permissions(file("both"), fs::perms::owner_all);
    NodeAgents& agents = make({.nodes = 3, .command = {file("both")}});
    QVERIFY(agents.nodes_missing());
    bool settled = false;
    agents.prepare([&] { settled = true; });
    QVERIFY(!settled);
    QVERIFY(eventually([&] { return settled; }));
    QVERIFY(!agents.nodes_missing());
    QCOMPARE(agents.nodes().size(), 2u);
    agents.keep({});  // which are the plan's
    QVERIFY(agents.is_ready("n2") && agents.is_ready("n3"));
  }

  // A node has one agent, and there are as many as were asked for.
  void whoComesBesidesIsLeftOut_data() {
    const auto row = testing::columns<int, QString, QString>({"nodes", "second", "trouble"});
    row("twice", 3, "n2", "there is an agent of node n2 already");
    row("too many", 2, "n3", "there are as many nodes as were asked for");
  }
  void whoComesBesidesIsLeftOut() {
    QFETCH(int, nodes);
    QFETCH(QString, second);
    QFETCH(QString, trouble);
    // Their offers are passed on one after the other.
    testing::write_file(file("both"),
                        "#!/bin/sh\nread -r line\ncd " + file("") + "\ni=0\nfor name in n2 " +
                            second.toStdString() +
                            "; do\nmkfifo in out\n" BATCHSCOPE_TEST_BIN
                            "/batchscope-node serve --name $name --listen 127.0.0.2 <in >out &\n"
                            "exec 4>in 5<out\nrm in out\necho \"$line\" >&4\nread -r offer <&5\n"
                            "echo \"$offer\"\neval \"exec $((6 + i))>&4\"\ni=$((i + 1))\ndone\n"
                            "cat\n");
    fs::permissions(file("both"), fs::perms::owner_all);
    NodeAgents& agents = make({.nodes = nodes, .command = {file("both")}});
    agents.prepare([] {});
    QVERIFY(eventually([&] { return !told_.empty(); }));
    QCOMPARE(heard(), "warning: an agent that came is left out: " + trouble.toStdString() + "\n");
    QVERIFY(eventually([&] { return agents.is_ready("n2"); }));
    QCOMPARE(agents.nodes().size(), 1u);
  }

  void aNodeByItselfIsReadyAtOnce() {
    NodeAgents& agents = make();
    bool settled = false;
    agents.prepare([&] { settled = true; });
    QVERIFY(!settled);
    QVERIFY(eventually([&] { return settled; }));
    QVERIFY(run::children().empty());
    QVERIFY(!agents.nodes_missing());
  }
};

BATCHSCOPE_TEST(TestNodeAgents)
#include "test_node_agents.moc"
