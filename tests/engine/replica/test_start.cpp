// SPDX-License-Identifier: Apache-2.0
//
// The start of a session: what is asked of the library that a program computes with, in what order, and which
// of a replica's places counts.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "adapt/cores.h"
#include "adapt/metrics.h"
#include "batchscope/protocol/fork_server.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "collective/socket.h"
#include "heard.h"
#include "process/fork_server.h"
#include "process/process.h"
#include "session/start.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Heard;
using batchscope::testing::Program;

namespace {

using Json = protocol::Json;

// A library that computes on a device of its own, and says what is asked of it.
class Library final : public Computing {
 public:
  std::string library() const override { return "Library 1.2"; }
  std::string device() const override { return "device:3"; }
  int set_threads(const protocol::Environment& environment) override {
    Program::say({"set_threads", environment.num_replicas});
    return 7;
  }
  void use_threads(int threads) override { Program::say({"use_threads", threads}); }
  void take_device() override { Program::say({"take_device", process().environment.replica_rank}); }
  std::string meet(const protocol::Environment& environment, std::chrono::milliseconds timeout) override {
    Program::say({"meet", environment.num_replicas, timeout.count(), process().collectives != nullptr});
    return "exchange";
  }
  void begin(int threads) override { Program::say({"begin", threads, process().initialized}); }
  void load_states() override { Program::say({"load_states", metrics::steps()}); }
  void restore() override { Program::say({"restore", metrics::steps()}); }
};

std::string lines(const Program::Ended& ended) {
  std::string text;
  for (const Json& line : ended.said) text += line.dump() + " ";
  return text;
}

void two_steps() {
  AdaptiveDataLoaderHelper training({.size = 4, .batch_size = 2});
  for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
    for (auto loop = training.loop(); !loop.done(); loop.advance())
      metrics::commit_step({.gain = 1, .gradient = {1, 10}});
}

}  // namespace

class TestStart : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aLibraryIsAskedInOrder() {
    Program program;
    program.variables[protocol::variable::kCollectiveTimeout] = "8";
    program.start = [](const ProcessGroupOptions& options) {
      start_session(options, std::make_unique<Library>());
    };
    const Heard alone(program, [] {
      Program::say({"cores", cores(), all_cores()});  // it computes elsewhere
      two_steps();
    });
    QCOMPARE(lines(alone.ended[0]),
             "[\"set_threads\",1] [\"take_device\",0] [\"begin\",7,true] [\"cores\",0,0] [\"load_states\",0] "
             "[\"restore\",0] ");
    const auto& hello = std::get<protocol::Hello>(alone.messages.at(0).at(0));
    QCOMPARE(hello.library, "Library 1.2");
    QCOMPARE(hello.device, "device:3");
    QCOMPARE(hello.backend, "none");
    QCOMPARE(hello.threads, 7);
    Program two;
    two.variables = program.variables;
    two.start = program.start;
    const Heard both(
        two, [] {}, 2);
    for (const std::size_t rank : {0, 1}) {
      QCOMPARE(lines(both.ended[rank]), "[\"set_threads\",2] [\"take_device\"," + std::to_string(rank) +
                                            "] [\"meet\",2,8000,true] [\"begin\",7,true] ");
      const auto& there = std::get<protocol::Hello>(both.messages.at(rank).at(0));
      QCOMPARE(there.backend, "exchange");
      QCOMPARE(there.rank, static_cast<int>(rank));
    }
  }

  // The engine's own states are there when the library's are loaded.
  void aLibraryGoesOnFromACheckpoint() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=1:stop"])";
    program.run(two_steps);
    program.start = [](const ProcessGroupOptions& options) {
      start_session(options, std::make_unique<Library>());
    };
    QCOMPARE(
        lines(program.run(two_steps)),
        "[\"set_threads\",1] [\"take_device\",0] [\"begin\",7,true] [\"load_states\",1] [\"restore\",1] ");
  }

  void aProgramThatCouldServeSaysSo() {
    Program program;
    program.start = [](const ProcessGroupOptions& options) {
      offer_fork_server();
      init_replica(options);
    };
    const Heard heard(program, [] {});
    const auto& hello = std::get<protocol::Hello>(heard.messages.at(0).at(0));
    QVERIFY(hello.serves && !hello.forked);
  }

  // The whole of a program's start, forked: the replica has its own environment, and says whose it is.
  void aForkedReplicaSaysThatItIs() {
    QTemporaryDir folder;
    testing::TelemetryListener supervisor(folder.filePath("telemetry").toStdString());
    int ends[2];
    QVERIFY(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    std::fflush(nullptr);
    const pid_t server = ::fork();
    if (server == 0) {
      ::close(ends[0]);
      ::setenv(protocol::variable::kForkServer, std::to_string(ends[1]).c_str(), 1);
      init_replica();
      leave(num_restarts());
    }
    ::close(ends[1]);
    QCOMPARE(protocol::decode_fork_answer(protocol::receive_packet(ends[0]).value()).pid, server);
    protocol::send_packet(
        ends[0], protocol::encode(protocol::ForkOrder{
                     {{protocol::variable::kTelemetrySocket, folder.filePath("telemetry").toStdString()},
                      {protocol::variable::kNumRestarts, "7"}},
                     folder.filePath("log").toStdString(),
                     1}));
    const auto answer = protocol::decode_fork_answer(protocol::receive_packet(ends[0]).value());
    supervisor.accept();
    const auto messages = supervisor.read_until([](const auto&) { return false; });
    const auto& hello = std::get<protocol::Hello>(messages.at(0));
    QVERIFY(hello.forked);
    QCOMPARE(hello.pid, answer.pid);
    QCOMPARE(hello.generation, 7);
    QCOMPARE(std::get<protocol::Goodbye>(messages.back()).code, 7);
    ::close(ends[0]);
    while (::wait(nullptr) > 0) {
    }
  }

  void betweenEpochsNoneIsRunning() {
    Program program;
    const auto three = [] {
      Program::say({current_epoch(), finished_epochs()});
      for (const int epoch : remaining_epochs_until(3)) {
        Program::say(epoch);
        if (epoch == 0) break;
      }
      Program::say({current_epoch(), finished_epochs()});
      for (const int epoch : remaining_epochs_until(3)) Program::say(epoch);
      Program::say({current_epoch(), finished_epochs()});
    };
    QCOMPARE(lines(program.run(three)), "[-1,0] 0 [-1,1] 1 2 [-1,3] ");
    // It asks for epochs and for nothing else of the engine, and has made all of them.
    QCOMPARE(lines(program.run([] {
               for (const int epoch : remaining_epochs_until(3)) Program::say(epoch);
             })),
             "");
  }

  // The program's own word before the environment's.
  void whatAProgramSaysOfItsPlaceCounts() {
    const auto replicas = Program().run_replicas(2,
                                                 [] {
                                                   Program::say({num_replicas(), replica_rank()});
                                                 },
                                                 {.world_size = 1, .rank = 0});
    for (const auto& replica : replicas) QCOMPARE(lines(replica), "[1,0] ");
  }

  // At a port, and not in the folder that the environment names.
  void replicasMeetWhereTheProgramSays() {
    std::string port;
    {
      const Listener listener("tcp:127.0.0.1");
      port = listener.address().substr(listener.address().rfind(':'));
    }
    Program program;
    const auto replicas =
        program.run_replicas(2,
                             [] {
                               const Process& now = process();
                               Program::say({now.environment.master_address, now.environment.master_port > 0,
                                             now.environment.rendezvous_dir, num_replicas()});
                             },
                             {.init_method = "tcp://127.0.0.1" + port});
    for (const auto& replica : replicas) QCOMPARE(lines(replica), "[\"127.0.0.1\",true,\"\",2] ");
    QVERIFY(std::filesystem::is_empty(program.path("meeting-0")));
    const std::string folder = program.path("folder");
    std::filesystem::create_directory(folder);
    for (const auto& replica :
         program.run_replicas(2, [] { Program::say(num_replicas()); }, {.init_method = "file://" + folder}))
      QCOMPARE(lines(replica), "2 ");
    QVERIFY(std::filesystem::exists(folder + "/hub-1"));
  }

  // A scheduler is asked where neither a folder nor an address is named; an empty address is none.
  void theSchedulerIsTheLastToBeAsked() {
    Program program;
    program.variables[protocol::variable::kSupervisorUrl] = "http://127.0.0.1:1/token";
    for (const auto& replica : program.run_replicas(2, [] { Program::say(num_replicas()); }))
      QCOMPARE(lines(replica), "2 ");
    program.variables[protocol::variable::kMasterAddress] = "";
    program.variables[protocol::variable::kMeetingTimeout] = "0.05";
    VERIFY_HOLDS(lines(program.run([] {}, {.world_size = 2, .rank = 1})), "did not come within 0.05 s");
  }

  void whatIsNoPlaceIsRefused() {
    const auto start = [](const char* method, int replicas, int rank) {
      return lines(Program().run([] {}, {.init_method = method, .world_size = replicas, .rank = rank}));
    };
    for (const char* method : {"tcp://:1234", "tcp://1234", "tcp://"})
      VERIFY_HOLDS(start(method, 1, 0), "expected env://, tcp://HOST:PORT or file://DIRECTORY");
    VERIFY_HOLDS(start("tcp://host:0", 1, 0), "names no port from 1 to 65535");
    for (const char* method : {"tcp://127.0.0.1:1", "tcp://h:1234"}) QCOMPARE(start(method, 1, 0), "");
  }
};

BATCHSCOPE_TEST(TestStart)
#include "test_start.moc"
