// SPDX-License-Identifier: Apache-2.0
//
// A supervisor's agents: who is fetched, who comes, who is left out, and who is dismissed. The
// command that reaches nodes is a script on this machine.
#include "nodes/node_agents.h"

#include <signal.h>
#include <sys/wait.h>

#include <QAbstractEventDispatcher>
#include <QTcpServer>
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>

#include "devices/device_metrics.h"
#include "nodes/frame_socket.h"
#include "nodes/node_launcher.h"
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

// An agent that a test plays. Its command says where it listens, and ends with its input.
class PlayedAgent {
 public:
  explicit PlayedAgent(std::string node) : node_(std::move(node)) {
    if (!server_.listen(QHostAddress(QStringLiteral("127.0.0.2"))))
      throw Error(ErrorKind::failure, "nobody can listen at 127.0.0.2");
  }

  std::string command() const {
    return "echo '" + encode(NodeOffer{node_, "127.0.0.2", server_.serverPort(), {{"cpu:0"}, {}}}) +
           "'\nexec cat > /dev/null\n";
  }
  // Takes its supervisor's line, and says that it is ready.
  bool gets_ready() {
    if (!QTest::qWaitFor([this] { return server_.hasPendingConnections(); }, 20000)) return false;
    line_ = std::make_unique<FrameSocket>(std::unique_ptr<QTcpSocket>(server_.nextPendingConnection()));
    line_->on_frame = [](const Frame&) {};
    say(FrameKind::ready, encode_ready(true));
    return true;
  }
  void say(FrameKind kind, const std::string& bytes) const { line_->send(kind, bytes); }
  // Says that this many replicas use as much of its node.
  void tell_use(int generation, int replicas, double value) const {
    say(FrameKind::use, encode(NodeUse{generation, replicas, {{"device/memory/" + node_, value}}}));
  }
  void deafen() { server_.close(); }

 private:
  const std::string node_;
  QTcpServer server_;
  std::unique_ptr<FrameSocket> line_;
};

class TestNodeAgents : public QObject {
  Q_OBJECT

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<NodeAgents> agents_;
  std::string told_;
  std::vector<std::string> lost_;
  int scripts_ = 0;

  std::string file(const std::string& name) const { return folder_->filePath(name.c_str()).toStdString(); }
  static bool eventually(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 20000); }
  std::string heard() { return std::exchange(told_, {}); }

  // Returns the pool's command: HOST PROGRAM serve --name NODE. Each is a script of its own, as one that has
  // just been started may not have been read yet.
  std::string reach(const std::string& line = "host=$1; shift; exec \"$@\" --listen $host") {
    const std::string script = file("reach" + std::to_string(scripts_++));
    testing::write_file(script, "#!/bin/sh\necho \"$1 $5\" >> " + file("called") + "\n" + line + "\n");
    fs::permissions(script, fs::perms::owner_all);
    return script;
  }

  NodeAgents& make(NodePlan plan = {}, const NodeTimes& times = {}) {
    agents_ = std::make_unique<NodeAgents>(std::move(plan), ReplicaOrder{"/bin/true", {}, file(""), {}, {}},
                                           file("telemetry"), file("checkpoints"), times);
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
    pid_t dismissed = 0;
    QVERIFY(eventually([&] { return (dismissed = waitpid(-1, nullptr, WNOHANG)) > 0; }));
    QVERIFY(!agents.take_exited(dismissed, 0));  // who is nobody's any more
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

  void whoIsOnTheWayIsNotFetchedAgain() {
    NodeAgents& agents = make();
    int settled = 0;
    for (int i = 0; i < 2; ++i) agents.fetch({{"n2", "127.0.0.2"}}, reach(), false, [&] { ++settled; });
    QVERIFY(eventually([&] { return settled == 2; }));
    QVERIFY(agents.is_ready("n2"));
    QCOMPARE(testing::contents(file("called")), "127.0.0.2 n2\n");
  }

  // Nobody waits for an agent that has gone before it was ready.
  void whoCannotBeReachedIsLost() {
    make();
    PlayedAgent played("n2");
    const std::string command = played.command();
    played.deafen();
    QVERIFY(fetched({{"n2", "127.0.0.2"}}, reach(command)));
    QCOMPARE(heard(), "error: node n2 is gone: its agent's line closed\n");
    QVERIFY(lost_ == std::vector<std::string>{"n2"});
  }

  // The run goes on with the nodes that came in time.
  void whoTakesTooLongIsGoneOnWithout() {
    PlayedAgent played("n2");
    NodeAgents& agents = make({}, {.start = std::chrono::milliseconds(100)});
    agents.fetch({{"n2", "127.0.0.2"}}, reach(played.command()), false, [] {});
    QVERIFY(played.gets_ready());
    QVERIFY(eventually([&] { return agents.is_ready("n2"); }));
    heard();
    bool settled = false;
    agents.fetch({{"n3", "127.0.0.3"}, {"n4", "127.0.0.4"}}, reach("exec cat > /dev/null"), false,
                 [&] { settled = true; });
    QVERIFY(eventually([&] { return settled; }));
    QCOMPARE(heard(), "warning: only 2 of 4 nodes answered within 0.1 s; going on without the others\n");
    QVERIFY(agents.is_ready("n2") && !agents.is_there("n3"));
  }

  void whoTakesTooLongIsToldOfOnce() {
    make({}, {.start = std::chrono::milliseconds(1)});
    QVERIFY(fetched({{"n2", "127.0.0.2"}}, reach("exec cat > /dev/null")));
    QTest::qWait(20);
    QCOMPARE(heard(), "warning: only 1 of 2 nodes answered within 0.001 s; going on without the others\n");
  }

  void whoIsSilentIsLost() {
    PlayedAgent played("n2");
    make({}, {.silence = std::chrono::milliseconds(1), .look = std::chrono::milliseconds(5)});
    agents_->fetch({{"n2", "127.0.0.2"}}, reach(played.command()), false, [] {});
    QVERIFY(eventually([&] { return !lost_.empty(); }));
    QCOMPARE(heard(), "error: node n2 is gone: it has not been heard for 0.001 s\n");
  }

  // An agent hears that the program can be a fork server, and what becomes of that, also where it comes
  // later.
  void whatTheProgramOffersIsPassedOn() {
    NodeAgents& agents = make();
    QVERIFY(fetched({{"n2", "127.0.0.2"}}, reach()));
    agents.offered();
    const std::string refused =
        ": replicas are executed, not forked: the program cannot be a fork server: it ended\n";
    QVERIFY(eventually([&] { return told_ == "info: node n2" + refused; }));
    heard();
    QVERIFY(fetched({{"n3", "127.0.0.3"}}, reach()));
    QVERIFY(eventually([&] { return told_ == "info: node n3" + refused; }));
  }

  void whoDoesNotSeeTheCheckpointsIsTold() {
    make();
    QVERIFY(fetched({{"n2", "127.0.0.2"}}, reach("host=$1; shift; exec \"$@\" --listen $host --apart")));
    QCOMPARE(heard(),
             "info: node n2 does not see the run's checkpoints: they are handed over by its agent's lines\n");
  }

  // As a call asks for it, or the plan.
  void linesAreEncryptedWhereSomebodyAsksForIt_data() {
    const auto row = testing::columns<bool, bool>({"call", "plan"});
    row("nobody", false, false);
    row("the call", true, false);
    row("the plan", false, true);
  }
  void linesAreEncryptedWhereSomebodyAsksForIt() {
    QFETCH(bool, call);
    QFETCH(bool, plan);
    NodePlan planned;
    planned.tls = plan;
    NodeAgents& agents = make(planned);
    bool settled = false;
    agents.fetch({{"n2", "127.0.0.2"}},
                 reach("host=$1; shift; (read -r line; echo \"$line\" > " + file("welcome") +
                       "; echo \"$line\"; cat) | \"$@\" --listen $host"),
                 call, [&] { settled = true; });
    QVERIFY(eventually([&] { return settled; }));
    QVERIFY(agents.is_ready("n2"));
    QCOMPARE(testing::holds(testing::contents(file("welcome")), "\"tls\":true"), call || plan);
  }

  // Nodes take turns where they have many replicas.
  void whatReplicasUseIsHeardInTurns() {
    NodeAgents& agents = make();
    PlayedAgent second("n2"), third("n3");
    bool settled = false;
    agents.fetch({{"n2", "127.0.0.2"}}, reach(second.command()), false, [] {});
    QVERIFY(second.gets_ready());
    agents.fetch({{"n3", "127.0.0.3"}}, reach(third.command()), false, [&] { settled = true; });
    QVERIFY(third.gets_ready());
    QVERIFY(eventually([&] { return settled; }));
    int said = 0;
    // Has both tell of this many replicas; what they said last is behind a beat that has come.
    const auto both_tell = [&](int generation, int replicas) {
      ++said;
      for (const PlayedAgent* const played : {&second, &third}) {
        played->tell_use(generation, replicas, said);
        played->say(FrameKind::beat, encode_beat(protocol::monotonic_seconds() + 1000 * said));
      }
      return eventually([&] {
        return agents.clock_offset("n2") < -1000 * said + 500 &&
               agents.clock_offset("n3") < -1000 * said + 500;
      });
    };
    using Values = std::vector<std::pair<std::string, double>>;
    const auto of = [](const char* node, double value) {
      return std::pair(std::string("device/memory/") + node, value);
    };
    QVERIFY(both_tell(5, DeviceMetrics::kAtOnce));
    QVERIFY(agents.take_use(5) == Values{of("n2", 1)});
    QVERIFY(both_tell(5, DeviceMetrics::kAtOnce));
    QVERIFY(agents.take_use(5) == Values{of("n3", 2)});
    QVERIFY(agents.take_use(5) == Values{of("n2", 2)});
    QVERIFY(agents.take_use(5).empty());
    QVERIFY(both_tell(5, DeviceMetrics::kAtOnce - 1));
    QVERIFY(agents.take_use(5) == (Values{of("n3", 3), of("n2", 3)}));
    QVERIFY(both_tell(4, 1));
    QVERIFY(agents.take_use(5).empty());
  }

  // Their places are as they were asked for, here and there.
  void replicasAreLaunchedWhereTheyBelong() {
    NodeAgents& agents = make();
    QVERIFY(fetched({{"n2", "127.0.0.2"}}, reach()));
    WaitingReplicas here;
    NodeLauncher launcher(here, agents);
    const auto order = [&](const std::string& node, const std::string& said) {
      ReplicaOrder one{"/bin/sh", {"-c", "echo " + said + "; exit 3"}, file(""), {}, file("log." + said)};
      one.node = node;
      return one;
    };
    const std::vector<pid_t> pids =
        launcher.launch({order("n2", "0"), order("", "1"), order("n2", "2"), order("", "3")});
    QCOMPARE(pids.size(), 4u);
    QCOMPARE(here.orders.size(), 2u);
    QCOMPARE(here.orders[0].log, fs::path(file("log.1")));
    QCOMPARE(here.orders[1].log, fs::path(file("log.3")));
    for (const std::size_t rank : {0u, 2u}) {
      QCOMPARE(WaitingReplicas::status_of(pids[rank]), W_EXITCODE(3, 0));
      QCOMPARE(testing::contents(file("log." + std::to_string(rank))), std::to_string(rank) + "\n");
    }
    ::kill(pids[1], SIGUSR1);
    QCOMPARE(WaitingReplicas::status_of(pids[1]), SIGUSR1);
    QVERIFY(WaitingReplicas::lives(pids[3]));
    ::kill(pids[3], SIGKILL);  // it would hold the agents' lines open
    QCOMPARE(WaitingReplicas::status_of(pids[3]), SIGKILL);
  }

  // All of them, or none.
  void whoIsLaunchedElsewhereEndsWhereOneHereCannotBe() {
    NodeAgents& agents = make();
    QVERIFY(fetched({{"n2", "127.0.0.2"}}, reach()));
    const std::vector<pid_t> before = run::children();
    ExecLauncher here;
    NodeLauncher launcher(here, agents);
    ReplicaOrder there{"/bin/sh", {"-c", "sleep 1000"}, file(""), {}, file("log")};
    there.node = "n2";
    VERIFY_THROWS("not_found", "/no/such/program",
                  launcher.launch({there, {"/no/such/program", {}, "/", {}, file("log")}, there}));
    for (const pid_t child : run::children())
      if (std::find(before.begin(), before.end(), child) == before.end())
        QCOMPARE(WaitingReplicas::status_of(child), SIGKILL);
  }

  // At the end of their input they can still say what they have to say.
  void whoIsDismissedIsWaitedFor() {
    make();
    agents_->fetch({{"n2", "127.0.0.2"}},
                   reach("cat > /dev/null; trap '' HUP; sleep 0.1; echo > " + file("ended")), false, [] {});
    QVERIFY(eventually([&] { return fs::exists(file("called")); }));
    agents_->dismiss();
    QVERIFY(fs::exists(file("ended")));
    QVERIFY(run::children().empty());
  }

  // Nor does the end of what it says keep anybody busy.
  void whoDoesNotEndIsNotWaitedForForEver() {
    make({}, {.goodbye = std::chrono::milliseconds(50)});
    agents_->fetch({{"n2", "127.0.0.2"}}, reach("exec >&-; echo > " + file("said") + "; exec sleep 1000"),
                   false, [] {});
    QVERIFY(eventually([&] { return fs::exists(file("said")); }));
    int turns = 0;
    while (QAbstractEventDispatcher::instance()->processEvents(QEventLoop::AllEvents) && turns < 10'000)
      ++turns;
    QVERIFY(turns < 10'000);
    agents_->dismiss();
    QCOMPARE(run::children().size(), 1u);
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
