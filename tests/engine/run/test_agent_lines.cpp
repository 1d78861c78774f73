// SPDX-License-Identifier: Apache-2.0
//
// The lines to a node's agent, frame by frame: a test is the supervisor, and the stand-in of each replica.
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QScopeGuard>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "agent_caller.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/protocol/unix_address.h"
#include "rows.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

class TestAgentLines : public AgentTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() { begin(); }

  // --- the supervisor ---

  void itsSupervisorLearnsTheTimeAndWhatTheNodeSees() {
    for (const bool apart : {false, true})
      for (const bool marked : {false, true}) {
        const LoneAgent agent(false, apart ? QStringList("--apart") : QStringList());
        AgentCaller supervisor(agent, Caller::supervisor);
        const double told = decode_beat(supervisor.await(FrameKind::beat));
        QVERIFY(std::abs(told - protocol::monotonic_seconds()) < 20);
        supervisor.send(FrameKind::program,
                        encode(ProgramOrder{script("exit"), marked ? file("mark") : file("elsewhere")}));
        const News news = decode_news(supervisor.next(FrameKind::news));
        QCOMPARE(news.level, "debug");
        QCOMPARE(news.text,
                 "replicas are executed, not forked, until the program says that it can be a fork server");
        QCOMPARE(decode_ready(supervisor.next(FrameKind::ready)), marked && !apart);
      }
  }

  void thereIsOneSupervisorAndOneProgram() {
    LoneAgent agent;
    AgentCaller supervisor(agent, Caller::supervisor), other(agent, Caller::supervisor);
    QCOMPARE(other.next(FrameKind::refused), "the agent has a supervisor already");
    QVERIFY(other.is_hung_up_on());
    tell_program(supervisor);
    supervisor.send(FrameKind::offered);  // it may be said before and after
    QCOMPARE(refusal(supervisor, FrameKind::program, encode(ProgramOrder{script("exit"), file("mark")})),
             "the agent has been told the program already");
    QVERIFY(agent.process().waitForFinished(10000));  // without a supervisor it is of no use
    QCOMPARE(agent.process().exitCode(), 0);
  }

  // A fork server loads once its program is said to be one, and not before it is known.
  void aProgramThatServesIsLoaded() {
    const LoneAgent agent;
    AgentCaller supervisor(agent, Caller::supervisor);
    supervisor.send(
        FrameKind::program,
        encode(ProgramOrder{script("echo '{\"number\":0,\"pid\":1}' >&3; read -r line <&3"), file("mark")}));
    supervisor.await(FrameKind::ready);
    supervisor.send(FrameKind::offered);
    QCOMPARE(decode_news(supervisor.await(FrameKind::news)).text, "a new fork server is ready");
    const LoneAgent other;
    AgentCaller early(other, Caller::supervisor);
    QCOMPARE(refusal(early, FrameKind::offered, ""), "a frame that does not belong here");
  }

  void whatBelongsToAnotherLineIsRefused_data() {
    QTest::addColumn<bool>("supervises");
    QTest::addColumn<int>("kind");
    const auto row = [](const char* name, bool supervises, FrameKind kind) {
      QTest::newRow(name) << supervises << static_cast<int>(kind);
    };
    row("an order of a supervisor", true, FrameKind::order);
    row("an offer of a supervisor", true, FrameKind::offer);
    row("a signal of a supervisor", true, FrameKind::signal);
    row("a state of a supervisor", true, FrameKind::state);
    row("a beat of a supervisor", true, FrameKind::beat);
    row("a hello again", true, FrameKind::hello);
    row("a program of a stand-in", false, FrameKind::program);
    row("an offered program of a stand-in", false, FrameKind::offered);
    row("a signal for nobody", false, FrameKind::signal);
    row("an offer where the folder is seen", false, FrameKind::offer);
    row("a checkpoint that nobody wants", false, FrameKind::checkpoint);
  }
  void whatBelongsToAnotherLineIsRefused() {
    QFETCH(bool, supervises);
    QFETCH(int, kind);
    const LoneAgent agent;
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    AgentCaller replica(agent, Caller::stand_in);
    QCOMPARE(refusal(supervises ? supervisor : replica, static_cast<FrameKind>(kind), "{}"),
             "a frame that does not belong here");
  }

  // Replicas are asked to leave, and what they say last still comes.
  void anAgentThatIsDoneAsksItsReplicasToLeave_data() {
    testing::rows("how", {"its supervisor has gone", "its input ends", "it is asked to end"});
  }
  void anAgentThatIsDoneAsksItsReplicasToLeave() {
    LoneAgent agent;
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    AgentCaller replica(agent, Caller::stand_in);
    replica.send(FrameKind::order,
                 encode(script("trap 'head -c 3000000 /dev/zero | tr \"\\0\" x; exit 7' TERM; echo begun; "
                               "sleep 1000 & wait")));
    QCOMPARE(replica.next(FrameKind::output), "begun\n");
    QFETCH(QString, how);
    if (how == "its supervisor has gone") supervisor.hang_up();
    if (how == "its input ends") agent.process().closeWriteChannel();
    if (how == "it is asked to end") agent.process().terminate();
    const auto [output, status] = replica.output_and_end();
    QVERIFY(output == std::string(3'000'000, 'x'));
    QCOMPARE(status, W_EXITCODE(7, 0));
    QVERIFY(agent.process().waitForFinished(10000));
    QCOMPARE(agent.process().exitStatus(), QProcess::NormalExit);
    QCOMPARE(agent.process().exitCode(), 0);
  }

  // A process that a replica has left in a session of its own, too.
  void nothingIsLeftOfAnAgent() {
    LoneAgent agent;
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    AgentCaller replica(agent, Caller::stand_in);
    replica.send(FrameKind::order,
                 encode(script("echo $(setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1' &); exit 3")));
    const auto [output, status] = replica.output_and_end();
    QCOMPARE(status, W_EXITCODE(3, 0));
    const ProcessId left = protocol::identify(std::stoi(output));
    QVERIFY(is_alive(left));
    agent.process().closeWriteChannel();
    QVERIFY(agent.process().waitForFinished(10000));
    QVERIFY(eventually([&] { return !is_alive(left); }));
  }

  // An agent that ends tells so whoever comes, where it still hears anybody.
  void anAgentThatEndsTakesNobody() {
    LoneAgent agent;
    AgentCaller supervisor(agent, Caller::supervisor), stranger(agent);
    tell_program(supervisor);
    AgentCaller replica(agent, Caller::stand_in);
    replica.send(FrameKind::order,
                 encode(script("trap 'echo asked; read -r line <" + file("go") + "; exit 7' TERM; mkfifo " +
                               file("go") + "; echo begun; sleep 1000 & wait")));
    QCOMPARE(replica.next(FrameKind::output), "begun\n");
    agent.process().closeWriteChannel();
    QCOMPARE(replica.next(FrameKind::output), "asked\n");
    QTcpSocket late;
    QVERIFY(!agent.connect(late));
    QCOMPARE(refusal(stranger, FrameKind::hello, encode(NodeHello{LoneAgent::token(), Caller::stand_in})),
             "the agent is ending");
    testing::write_file(file("go"), "\n");
    QCOMPARE(replica.output_and_end().second, W_EXITCODE(7, 0));
  }

  // --- replicas ---

  // A replica takes what belongs to a node from there, and what belongs to its run from its order.
  void aReplicaHasTheEnvironmentOfItsOrderOnItsNode() {
    const auto forget = qScopeGuard([] {
      for (const char* const name : {"SLURM_NODEID", "CUDA_VISIBLE_DEVICES", "TMPDIR", "ELSE"})
        qunsetenv(name);
    });
    qputenv("SLURM_NODEID", "4");
    qputenv("CUDA_VISIBLE_DEVICES", "5");
    qputenv("TMPDIR", file("").c_str());
    qputenv("ELSE", "of the agent");
    const LoneAgent agent;
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    ReplicaOrder order = script("env; pwd; exit 3");
    order.environment.insert({{"LONG", std::string(100'000, 'x')},
                              {"SLURM_PROCID", "7"},
                              {"SLURM_NODEID", "1"},
                              {"TMPDIR", "/of/the/supervisor"},
                              {"HOSTNAME", "of-the-supervisor"},
                              {"BATCHSCOPE_TELEMETRY_SOCKET", "/of/the/supervisor"},
                              {"ADAPTDL_CHECKPOINT_PATH", "/checkpoints"},
                              {"ADAPTDL_SHARE_PATH", "/share"},
                              {"ADAPTDL_TENSORBOARD_LOGDIR", "/tensorboard"}});
    const auto said = [&](const ReplicaOrder& ordered) {
      AgentCaller replica(agent, Caller::stand_in);
      replica.send(FrameKind::order, encode(ordered));
      const auto [output, status] = replica.output_and_end();
      const bool ends = status == W_EXITCODE(3, 0) && replica.is_hung_up_on();
      return ends ? "\n" + output : "it does not end";
    };
    const std::string all = said(order);
    VERIFY_HOLDS(all, "\nOWN=x\n", "\nLONG=" + std::string(100'000, 'x') + "\n", "\nSLURM_NODEID=4\n",
                 "\nCUDA_VISIBLE_DEVICES=5\n", "\nTMPDIR=" + file("") + "\n",
                 "\nADAPTDL_CHECKPOINT_PATH=/checkpoints\n", "\nADAPTDL_SHARE_PATH=/share\n",
                 "\nADAPTDL_TENSORBOARD_LOGDIR=/tensorboard\n",
                 "\nBATCHSCOPE_TELEMETRY_SOCKET=" + file("") + "/batchscope-node-", "/0/telemetry\n",
                 "\n" + order.working_directory + "\n");
    for (const char* const of_another : {"SLURM_PROCID", "of-the-supervisor", "ELSE="})
      QVERIFY2(!testing::holds(all, of_another), all.c_str());
    order.environment["CUDA_VISIBLE_DEVICES"] = "0,1";  // chosen among them
    order.environment.erase("BATCHSCOPE_TELEMETRY_SOCKET");
    const std::string chosen = said(order);
    VERIFY_HOLDS(chosen, "\nCUDA_VISIBLE_DEVICES=0,1\n");
    QVERIFY(!testing::holds(chosen, "TELEMETRY"));
  }

  void signalsAreHandedOn() {
    const LoneAgent agent;
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    AgentCaller one(agent, Caller::stand_in), other(agent, Caller::stand_in);
    for (AgentCaller* const replica : {&one, &other}) {
      replica->send(FrameKind::order, encode(waiting()));
      process_of(*replica);
    }
    one.send(FrameKind::signal, encode(HandedSignal{SIGTERM, 1}));
    QCOMPARE(one.output_and_end(), (std::pair<std::string, int>("", W_EXITCODE(7, 0))));
    QVERIFY(one.is_hung_up_on());
    other.send(FrameKind::signal, encode(HandedSignal{SIGUSR1, 0}));
    QCOMPARE(other.output_and_end(), (std::pair<std::string, int>("", SIGUSR1)));
  }

  // A line that breaks takes all that the replica has started with it.
  void aReplicaEndsWithItsLine() {
    const LoneAgent agent;
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    AgentCaller gone(agent, Caller::stand_in), refused(agent, Caller::stand_in);
    std::vector<ProcessId> processes;
    for (AgentCaller* const replica : {&gone, &refused}) {
      replica->send(FrameKind::order, encode(waiting()));
      processes.push_back(process_of(*replica));
    }
    gone.hang_up();
    QVERIFY(eventually([&] { return !is_alive(processes[0]); }));
    QVERIFY(is_alive(processes[1]));
    QCOMPARE(refusal(refused, FrameKind::order, encode(waiting())), "a frame that does not belong here");
    QVERIFY(eventually([&] { return !is_alive(processes[1]); }));
  }

  void whatCannotBeStartedIsSaid() {
    const LoneAgent agent;
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    ReplicaOrder order = waiting();
    order.program = "/no/such/program";
    AgentCaller replica(agent, Caller::stand_in);
    VERIFY_HOLDS(refusal(replica, FrameKind::order, encode(order)), "cannot start /no/such/program in ");
    AgentCaller nonsense(agent, Caller::stand_in);
    VERIFY_HOLDS(refusal(nonsense, FrameKind::order, "{}"), "has no valid \"program\"");
  }

  // Each connection is told apart, and its end as well.
  void whatAReplicaTellsComesByItsConnections() {
    const LoneAgent agent;
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    ReplicaOrder order =
        script("trap 'exit 7' TERM; echo \"$BATCHSCOPE_TELEMETRY_SOCKET\"; sleep 1000 & wait");
    order.environment["BATCHSCOPE_TELEMETRY_SOCKET"] = "/of/the/supervisor";
    AgentCaller replica(agent, Caller::stand_in);
    replica.send(FrameKind::order, encode(order));
    std::string path = replica.next(FrameKind::output);
    path.pop_back();
    const sockaddr_un address = protocol::unix_address(path);
    int connections[2];
    const auto told = [&] {
      const std::string bytes = replica.next(FrameKind::telemetry);
      const TelemetryBytes telemetry = decode_telemetry(bytes);
      return std::to_string(telemetry.connection) + ": " + std::string(telemetry.bytes);
    };
    for (const std::string number : {"0", "1"}) {
      int& fd = connections[number == "1"];
      fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      QCOMPARE(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
      QCOMPARE(::send(fd, "first\n", 6, 0), 6);
      QCOMPARE(told(), number + ": first\n");
    }
    QCOMPARE(::send(connections[0], "second\n", 7, 0), 7);
    QCOMPARE(told(), "0: second\n");
    close(connections[0]);
    QCOMPARE(told(), "0: ");
    // The last words come before the end.
    QCOMPARE(::send(connections[1], "last\n", 5, 0), 5);
    replica.send(FrameKind::signal, encode(HandedSignal{SIGTERM, 0}));
    QCOMPARE(told(), "1: last\n");
    QCOMPARE(decode_status(replica.next(FrameKind::exit)), W_EXITCODE(7, 0));
    close(connections[1]);
  }

  // Where nobody reads, a replica waits, and nothing is lost.
  void muchOfItComesWhole() {
    const LoneAgent agent;
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    constexpr std::size_t kMuch = 8'000'000;
    AgentCaller printing(agent, Caller::stand_in), telling(agent, Caller::stand_in);
    printing.send(FrameKind::order,
                  encode(script("head -c " + std::to_string(kMuch) + " /dev/zero | tr '\\0' x; exit 3")));
    const auto [output, status] = printing.output_and_end();
    QCOMPARE(output.size(), kMuch);
    QCOMPARE(std::count(output.begin(), output.end(), 'x'), std::ssize(output));
    QCOMPARE(status, W_EXITCODE(3, 0));

    ReplicaOrder order =
        script("trap 'exit 7' TERM; echo \"$BATCHSCOPE_TELEMETRY_SOCKET\"; sleep 1000 & wait");
    order.environment["BATCHSCOPE_TELEMETRY_SOCKET"] = "/of/the/supervisor";
    telling.send(FrameKind::order, encode(order));
    std::string path = telling.next(FrameKind::output);
    path.pop_back();
    const std::jthread teller([&path] {
      const sockaddr_un address = protocol::unix_address(path);
      const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        ::send(fd, std::string(kMuch, 'y').data(), kMuch, MSG_NOSIGNAL);
      close(fd);
    });
    std::size_t told = 0;
    for (;;) {
      const std::string bytes = telling.next(FrameKind::telemetry);
      const auto words = decode_telemetry(bytes).bytes;
      if (words.empty()) break;
      told += words.size();
    }
    QCOMPARE(told, kMuch);
  }

  // Descriptors and files of replicas that have ended, or that could not be started.
  void nothingIsKeptOfReplicas() {
    const auto forget = qScopeGuard([] { qunsetenv("TMPDIR"); });
    qputenv("TMPDIR", file("").c_str());
    LoneAgent agent;
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    const auto open_files = [&] {
      const fs::path folder = "/proc/" + std::to_string(agent.process().processId()) + "/fd";
      return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
    };
    const auto have_some = [&] {
      for (const char* const program : {"/bin/sh", "/no/such/program"}) {
        ReplicaOrder order = script("exit 3");
        order.program = program;
        order.environment["BATCHSCOPE_TELEMETRY_SOCKET"] = "/of/the/supervisor";
        AgentCaller replica(agent, Caller::stand_in);
        replica.send(FrameKind::order, encode(order));
        if (program == std::string("/bin/sh"))
          replica.output_and_end();
        else
          replica.await(FrameKind::refused);
        replica.is_hung_up_on();
      }
      // The next caller is behind them.
      AgentCaller next(agent, Caller::stand_in);
      refusal(next, FrameKind::program, "{}");
    };
    have_some();
    const auto before = open_files();
    for (int i = 0; i < 3; ++i) have_some();
    QCOMPARE(open_files(), before);
    std::ptrdiff_t folders = 0;
    for (const auto& each : fs::recursive_directory_iterator(file("")))
      folders +=
          each.is_directory() && testing::holds(each.path().parent_path().string(), "batchscope-node-");
    QCOMPARE(folders, 0);
  }

  // A socket's address has few letters.
  void itsFolderIsWhereThereIsRoomForIt() {
    const auto forget = qScopeGuard([] { qunsetenv("TMPDIR"); });
    const auto folder_in = [this](const std::string& root) {
      qputenv("TMPDIR", root.c_str());
      const LoneAgent agent;
      AgentCaller supervisor(agent, Caller::supervisor);
      tell_program(supervisor);
      ReplicaOrder order = script("echo \"$BATCHSCOPE_TELEMETRY_SOCKET\"");
      order.environment["BATCHSCOPE_TELEMETRY_SOCKET"] = "/of/the/supervisor";
      AgentCaller replica(agent, Caller::stand_in);
      replica.send(FrameKind::order, encode(order));
      const std::string path = replica.output_and_end().first;
      return path.substr(0, path.find("/batchscope-node-"));
    };
    for (const std::size_t letters : {60u, 61u}) {
      std::string root = file("x");
      if (root.size() > letters) QSKIP("temporary folders have long names here");
      root.resize(letters, 'x');
      std::filesystem::create_directory(root);
      QCOMPARE(folder_in(root), letters == 60 ? root : "/tmp");
    }
    QCOMPARE(folder_in(""), "/tmp");
  }

  // An agent tells of the newest generation alone.
  void whatReplicasUseIsToldWithTheBeats() {
    const LoneAgent agent;
    AgentCaller supervisor(agent, Caller::supervisor);
    tell_program(supervisor);
    std::vector<std::unique_ptr<AgentCaller>> replicas;
    for (const auto& [generation, rank] : {std::pair(2, 4), {3, 5}, {2, 6}, {3, 7}}) {
      replicas.push_back(std::make_unique<AgentCaller>(agent, Caller::stand_in));
      replicas.back()->send(FrameKind::order, encode(waiting(generation, rank)));
      process_of(*replicas.back());
    }
    NodeUse use;
    do use = decode_use(supervisor.await(FrameKind::use));
    while (use.replicas < 2);
    QCOMPARE(use.generation, 3);
    QCOMPARE(use.replicas, 2);
    QVERIFY(!use.values.empty());
    for (const auto& [series, value] : use.values)
      QVERIFY2(series.ends_with("/5") || series.ends_with("/7"), series.c_str());
  }

  // --- strangers ---

  void strangersThatHaveGoneAreForgotten() {
    const LoneAgent agent;
    for (int i = 0; i < 70; ++i) {
      AgentCaller stranger(agent);
      stranger.send(FrameKind::order, "{}");
      QVERIFY(stranger.is_hung_up_on());
    }
    AgentCaller known(agent, Caller::stand_in);
    QCOMPARE(refusal(known, FrameKind::program, "{}"), "a frame that does not belong here");
  }

  // So many at a time, until they have shown the token.
  void strangersAreFewAtATime() {
    const LoneAgent agent;
    const auto is_heard = [](AgentCaller& caller) {
      caller.send(FrameKind::hello, encode(NodeHello{LoneAgent::token(), Caller::stand_in}));
      return refusal(caller, FrameKind::program, "{}") == "a frame that does not belong here";
    };
    std::vector<std::unique_ptr<AgentCaller>> silent;
    for (int i = 0; i < 64; ++i) silent.push_back(std::make_unique<AgentCaller>(agent));
    QVERIFY(AgentCaller(agent).is_hung_up_on());
    QVERIFY(is_heard(*silent.back()));
    AgentCaller next(agent);
    QVERIFY(is_heard(next));
    AgentCaller known(agent, Caller::stand_in);  // who is no stranger any more
    known.send(FrameKind::order, "{}");
    QVERIFY(known.is_hung_up_on());
  }
};

BATCHSCOPE_TEST(TestAgentLines)
#include "test_agent_lines.moc"
