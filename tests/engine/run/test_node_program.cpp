// SPDX-License-Identifier: Apache-2.0
//
// The program of a node's agent as a command starts it, and the command itself: what they read from where
// they are, and what they refuse.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QProcess>
#include <QTemporaryDir>
#include <algorithm>
#include <filesystem>
#include <iterator>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/run/machine.h"
#include "lone_agent.h"
#include "nodes/frame.h"
#include "nodes/messages.h"
#include "nodes/node_command.h"
#include "rows.h"
#include "signal_masks.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

class TestNodeProgram : public QObject {
  Q_OBJECT

  std::string output_, errors_;

  // Returns the exit code of `batchscope-node`, given this much to read.
  int called(const QStringList& arguments, const std::string& input, const QStringList& environment = {}) {
    QProcess process;
    QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
    for (const char* const name : {"SLURM_LAUNCH_NODE_IPADDR", "SSH_CONNECTION", "SLURMD_NODENAME"})
      variables.remove(name);
    for (const QString& each : environment) variables.insert(each.section('=', 0, 0), each.section('=', 1));
    process.setProcessEnvironment(variables);
    process.start(BATCHSCOPE_TEST_BIN "/batchscope-node", arguments);
    process.write(input.c_str());
    process.closeWriteChannel();  // which is also the end of an agent
    if (!process.waitForFinished(20000)) return -1;
    output_ = process.readAllStandardOutput().toStdString();
    errors_ = process.readAllStandardError().toStdString();
    return process.exitCode();
  }
  static std::string welcome(bool tls = false) { return encode(Welcome{std::string(64, 'a'), tls}) + "\n"; }
  static std::ptrdiff_t open_files() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  }

 private Q_SLOTS:
  void cleanup() {
    for (const char* const name : {"BATCHSCOPE_NODES", "BATCHSCOPE_REPLICAS_PER_NODE",
                                   "BATCHSCOPE_NODE_COMMAND", "BATCHSCOPE_NODE_TLS"})
      qunsetenv(name);
  }

  // --- an agent ---

  void anAgentSaysWhereItListens_data() {
    const auto row =
        testing::columns<QStringList, QStringList, QString>({"options", "environment", "address"});
    const QString slurm = QStringLiteral("SLURM_LAUNCH_NODE_IPADDR=127.0.0.1"),
                  ssh = QStringLiteral("SSH_CONNECTION=10.0.0.1 4711 127.0.0.3 22");
    row("there", {"--listen", "127.0.0.2"}, {slurm, ssh}, "127.0.0.2");
    row("toward another", {"--toward", "127.0.0.1"}, {ssh}, "127.0.0.1");
    row("toward Slurm's first", {}, {slurm, ssh}, "127.0.0.1");
    row("where ssh came to", {}, {ssh}, "127.0.0.3");
  }
  void anAgentSaysWhereItListens() {
    QFETCH(QStringList, options);
    QFETCH(QStringList, environment);
    QCOMPARE(called(QStringList{"serve", "--name", "n2"} + options, welcome(), environment), 0);
    const NodeOffer offer = decode_offer(output_.substr(0, output_.find('\n')));
    QCOMPARE(offer.node, "n2");
    QTEST(QString::fromStdString(offer.address), "address");
    QVERIFY(offer.port > 0);
    QVERIFY(!offer.tls);
    QVERIFY(offer.machine.cores == Machine::here().cores);
    QCOMPARE(errors_, "");
  }

  void anAgentIsOfTheNodeAndOfTheLineThatItIsTold() {
    QCOMPARE(called({"serve", "--listen", "127.0.0.2"}, welcome(true), {"SLURMD_NODENAME=n7"}), 0);
    const NodeOffer offer = decode_offer(output_.substr(0, output_.find('\n')));
    QCOMPARE(offer.node, "n7");
    QVERIFY(offer.tls);
  }

  void whatAnAgentCannotDoIsSaid_data() {
    const auto row = testing::columns<QStringList, QString, QString>({"options", "input", "complaint"});
    const QString line = QString::fromStdString(welcome());
    row("no address", {}, line, "no address to listen at: give --listen ADDRESS, or --toward ADDRESS");
    row("no name", {"--name", "a b", "--listen", "127.0.0.2"}, line, "'a b' is not a name of a node");
    row("no token", {"--listen", "127.0.0.2"}, "", "standard input has no line with the token");
    row("no end of the token", {"--listen", "127.0.0.2"}, line.chopped(1), "has no line with the token");
    row("too long a token", {"--listen", "127.0.0.2"}, QString(int(kLongestHello), 'x') + "\n",
        "standard input has no line with the token");
    row("two addresses", {"--listen", "127.0.0.2", "--toward", "127.0.0.1"}, line, "--listen");
  }
  void whatAnAgentCannotDoIsSaid() {
    QFETCH(QStringList, options);
    QFETCH(QString, input);
    QFETCH(QString, complaint);
    QCOMPARE(called(QStringList{"serve"} + options, input.toStdString()), static_cast<int>(kExitUsage));
    VERIFY_HOLDS(errors_, complaint.toStdString());
    QCOMPARE(output_, "");
  }

  void anAddressOfAnotherMachineIsNotListenedAt() {
    const QTemporaryDir folder;
    QVERIFY(called({"serve", "--name", "n2", "--listen", "203.0.113.7"}, welcome(),
                   {"TMPDIR=" + folder.path()}) != 0);
    VERIFY_HOLDS(errors_, "batchscope-node: cannot listen at 203.0.113.7: ");
    QCOMPARE(output_, "");
    QVERIFY(std::filesystem::is_empty(folder.path().toStdString()));
  }

  // Without asking a network.
  void whatCannotBeReachedIsNamed() {
    QVERIFY(called({"serve", "--name", "n2", "--toward", "fe80::1"}, welcome()) != 0);
    VERIFY_HOLDS(errors_, "batchscope-node: this node cannot reach fe80::1: ");
    QCOMPARE(output_, "");
  }

  // As where ssh has broken, and where its terminal has gone.
  void anAgentThatNobodyHearsEndsWithItsInput() {
    QProcess process;
    process.start(BATCHSCOPE_TEST_BIN "/batchscope-node", {"serve", "--name", "n2", "--listen", "127.0.0.2"});
    QVERIFY(process.waitForStarted());
    process.closeReadChannel(QProcess::StandardOutput);
    process.write(welcome().c_str());
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
    LoneAgent agent;
    ::kill(static_cast<pid_t>(agent.process().processId()), SIGHUP);
    agent.process().closeWriteChannel();
    QVERIFY(agent.process().waitForFinished(20000));
    QCOMPARE(agent.process().exitStatus(), QProcess::NormalExit);
    QCOMPARE(agent.process().exitCode(), 0);
  }

  void aCommandIsNeeded() {
    QCOMPARE(called({}, ""), static_cast<int>(kExitUsage));
    VERIFY_HOLDS(errors_, "A subcommand is required");
    QCOMPARE(called({"--help"}, ""), 0);
  }

  // --- how many nodes there are ---

  void nodesAreCounted_data() {
    const auto row = testing::columns<QByteArray, int, QString>({"said", "nodes", "refusal"});
    const QString form =
        QStringLiteral(": expected a whole number from 1 to %1").arg(protocol::kMostReplicas);
    row("nothing", "", 1, "");
    row("one", "1", 1, "");
    row("several", "3", 3, "");
    row("as many as may be", QByteArray::number(protocol::kMostReplicas), protocol::kMostReplicas, "");
    row("too many", QByteArray::number(protocol::kMostReplicas + 1), 0,
        "=" + QString::number(protocol::kMostReplicas + 1) + form);
    row("none", "0", 0, "=0" + form);
    row("words behind it", "2 nodes", 0, "=2 nodes" + form);
  }
  void nodesAreCounted() {
    QFETCH(QByteArray, said);
    QFETCH(int, nodes);
    QFETCH(QString, refusal);
    for (const char* const name : {"BATCHSCOPE_NODES", "BATCHSCOPE_REPLICAS_PER_NODE"}) {
      cleanup();
      qputenv("BATCHSCOPE_NODE_COMMAND", " srun  batchscope-node serve ");
      qputenv(name, said);
      const bool counts_nodes = name == std::string("BATCHSCOPE_NODES");
      NodePlan plan;
      const std::string thrown = testing::thrown_by([&] { plan = NodePlan::from_environment(false); });
      if (!refusal.isEmpty()) {
        QCOMPARE(thrown, "usage: " + (name + refusal).toStdString());
        continue;
      }
      QCOMPARE(plan.nodes, counts_nodes ? nodes : 1);
      QCOMPARE(plan.replicas_per_node, counts_nodes || said.isEmpty() ? 0 : nodes);
      QCOMPARE(plan.several(), counts_nodes && nodes > 1);
      QVERIFY(plan.command == (std::vector<std::string>{"srun", "batchscope-node", "serve"}));
    }
  }

  void linesAreEncryptedWhereSomebodySaysSo() {
    for (const bool asked : {false, true})
      for (const char* const said : {"", "no", "yes"}) {
        qputenv("BATCHSCOPE_NODE_TLS", said);
        QCOMPARE(NodePlan::from_environment(asked).tls, asked || said == std::string("yes"));
      }
    qputenv("BATCHSCOPE_NODE_TLS", "maybe");
    VERIFY_THROWS("usage", "BATCHSCOPE_NODE_TLS=maybe: expected yes or no",
                  NodePlan::from_environment(false));
  }

  void severalNodesNeedACommand() {
    QVERIFY(NodePlan::from_environment(false).command.empty());
    qputenv("BATCHSCOPE_NODES", "2");
    VERIFY_THROWS("usage",
                  "BATCHSCOPE_NODES=2 needs BATCHSCOPE_NODE_COMMAND: the command that starts batchscope-node "
                  "serve on each of the other nodes",
                  NodePlan::from_environment(false));
  }

  // --- the command ---

  void aCommandIsFedAndHeard() {
    const std::ptrdiff_t before = open_files();
    {
      NodeCommand command({"sh", "-c", "read -r line; echo \"so $line\"; read -r line || exit 5"}, "a test");
      QCOMPARE(getsid(command.pid()), command.pid());
      QCOMPARE(write(command.input(), "it is\n", 6), 6);
      std::string said;
      QVERIFY(QTest::qWaitFor(
          [&] {
            char byte;
            while (read(command.output(), &byte, 1) == 1) said += byte;
            return said == "so it is\n";
          },
          20000));
      command.close_input();
      command.close_input();  // once is enough
      int status = -1;
      waitpid(command.pid(), &status, 0);
      QCOMPARE(status, W_EXITCODE(5, 0));
    }
    VERIFY_THROWS("not_found", "cannot start /no/such/command (a test): No such file or directory",
                  NodeCommand({"/no/such/command"}, "a test"));
    VERIFY_THROWS("io", "cannot start /dev/null (a test): Permission denied",
                  NodeCommand({"/dev/null"}, "a test"));
    QCOMPARE(open_files(), before);
  }

  void aCommandHasNoneOfOurSignalSettings() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    signal(SIGUSR1, SIG_IGN);
    NodeCommand command({"cat", "/proc/self/status"}, "a test");
    signal(SIGUSR1, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    waitpid(command.pid(), nullptr, 0);
    char bytes[1 << 12];
    const ssize_t count = read(command.output(), bytes, sizeof bytes);
    const std::string status(bytes, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    QCOMPARE(signals_of(status, "SigBlk"), 0u);
    QCOMPARE(signals_of(status, "SigIgn"), 0u);
  }
};

BATCHSCOPE_TEST(TestNodeProgram)
#include "test_node_program.moc"
