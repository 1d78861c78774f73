// SPDX-License-Identifier: Apache-2.0
//
// Secrets of a run, and what it gives to its programs: private sockets, on which no client can take more than
// its share, arguments that no shell sees, an environment that is listed without its secret.
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QScopeGuard>
#include <QTemporaryDir>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/unix_address.h"
#include "batchscope/run/client.h"
#include "launch/generation.h"
#include "machines.h"
#include "raw_client.h"
#include "socket/control_server.h"
#include "socket/local_listener.h"
#include "socket/request_id.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

namespace batchscope::run {

namespace fs = std::filesystem;

class TestSecurity : public QObject {
  Q_OBJECT

  QTemporaryDir directory_;
  const fs::path root_ = directory_.path().toStdString();

 private Q_SLOTS:
  void initTestCase() {
    qputenv("BATCHSCOPE_DB", (root_ / "data/runs.db").c_str());
    qputenv("XDG_STATE_HOME", (root_ / "state").c_str());
  }

  void socketsAreTheOwnersAlone() {
    const LocalListener listener(root_ / "a.sock", [](auto) {});
    QCOMPARE(fs::status(root_ / "a.sock").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }

  void strangersAreNotHeard() {
    if (geteuid() != 0) QSKIP("only root can become somebody else");
    const fs::path path = root_ / "b.sock";
    int heard = 0;
    const LocalListener listener(path, [&](auto) { ++heard; });
    fs::permissions(path, fs::perms::all);  // as if the modes had failed
    fs::permissions(root_, fs::perms::all);
    const auto connect_as = [&](uid_t user) {
      const pid_t child = fork();
      if (child == 0) {
        const sockaddr_un address = protocol::unix_address(path);
        const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        char byte;
        _exit(setuid(user) == 0 &&
                      ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                      (user == 0 || read(fd, &byte, 1) == 0)  // closed on us
                  ? 0
                  : 1);
      }
      int status = -1;
      return QTest::qWaitFor([&] { return waitpid(child, &status, WNOHANG) == child; }, 20000) && status == 0;
    };
    QVERIFY(connect_as(65534));
    QCOMPARE(heard, 0);
    QVERIFY(connect_as(0));
    QVERIFY(QTest::qWaitFor([&] { return heard == 1; }, 20000));
  }

  // It asks and asks and reads none of its answers.
  void aClientThatDoesNotReadIsReadNoMore() {
    ControlServer server(root_ / "c.sock");
    int asked = 0;
    server.on_request = [&](const protocol::Request&, const ControlServer::Responder& responder) {
      ++asked;
      responder.ok(std::string(1000, 'x'));
    };
    const RawClient client(root_ / "c.sock");
    const std::string request = "{\"v\":1,\"id\":1,\"command\":\"status\"}\n";
    constexpr int kRequests = 200'000;
    int sent = 0;
    for (int refused = 0; sent < kRequests && refused < 1000;) {
      refused = client.send(request) ? 0 : refused + 1;
      if (refused == 0) ++sent;
      QCoreApplication::processEvents();
    }
    QVERIFY2(asked < 5000, qPrintable(QString("%1 answers wait to be read").arg(asked)));
    QVERIFY2(sent < 50'000, qPrintable(QString("%1 requests were taken").arg(sent)));
    // Each is answered as soon as the ones before are read.
    int answered = 0;
    QVERIFY(QTest::qWaitFor([&] { return (answered += client.lines_read()) == sent; }, 60'000));
  }

  void aClientWhoseRequestsAreStillBeingAnsweredIsReadNoMore() {
    ControlServer server(root_ / "d.sock");
    std::vector<ControlServer::Responder> asked;
    server.on_request = [&](const protocol::Request&, const ControlServer::Responder& responder) {
      asked.push_back(responder);
    };
    const RawClient client(root_ / "d.sock");
    constexpr int kRequests = 500;
    std::string requests;  // at once: each message costs the kernel more than its bytes
    for (int i = 0; i < kRequests; ++i) requests += "{\"v\":1,\"id\":1,\"command\":\"checkpoint\"}\n";
    QVERIFY(client.send(requests));
    QVERIFY(QTest::qWaitFor([&] { return !asked.empty(); }, 20'000));
    QTest::qWait(100);
    QVERIFY2(asked.size() < 100, qPrintable(QString::number(asked.size())));
    int answered = 0;
    QVERIFY(QTest::qWaitFor(
        [&] {
          for (const auto& responder : std::exchange(asked, {})) responder.ok({});
          return (answered += client.lines_read()) == kRequests;
        },
        20'000));
  }

  void aClientThatNeverReadsIsSentAway() {
    ControlServer server(root_ / "e.sock", {.unread = 1000, .patience = std::chrono::milliseconds(50)});
    server.on_request = [&](const protocol::Request&, const ControlServer::Responder& responder) {
      responder.ok(std::string(1 << 20, 'x'));
    };
    QStringList faults;
    server.on_fault = [&](const std::string& text) { faults << QString::fromStdString(text); };
    const RawClient client(root_ / "e.sock");
    QVERIFY(client.send("{\"v\":1,\"id\":1,\"command\":\"status\"}\n"));
    QVERIFY(QTest::qWaitFor([&] { return faults.size() == 1; }, 20'000));
    QVERIFY2(faults[0].contains("did not read"), qPrintable(faults[0]));
    QVERIFY(QTest::qWaitFor([&] { return client.lines_read(), client.is_closed(); }, 20'000));
  }

  void tooManyConnectionsAreToldSo() {
    const auto paths = protocol::run_paths("cccccccc");
    protocol::make_run_directories(paths);
    ControlServer server(paths.control_socket);
    server.on_request = [](const protocol::Request&, const ControlServer::Responder& responder) {
      responder.ok("fine");
    };
    const auto ask = [] {
      std::string said;
      std::atomic<bool> done = false;
      std::thread client([&] {
        const std::string refusal =
            testing::thrown_by([&] { said = request("cccccccc", {}, 20'000).get<std::string>(); });
        if (said.empty()) said = refusal;
        done = true;
      });
      (void)QTest::qWaitFor([&] { return done.load(); }, 30'000);
      client.join();
      return said;
    };
    std::vector<std::unique_ptr<RawClient>> others;
    for (int i = 0; i < 64; ++i) others.push_back(std::make_unique<RawClient>(paths.control_socket));
    QTest::qWait(50);
    for (int i = 0; i < 20; ++i) {
      const std::string said = ask();
      QVERIFY2(said.starts_with("conflict: too many connections"), said.c_str());
    }
    {
      ControlClient client("cccccccc");
      std::string refusal;
      connect(&client, &ControlClient::connectedChanged, this, [&](bool connected) {
        if (!connected) return;
        client.send({}, [&](const protocol::Json*, const Error* error) {
          if (error != nullptr) refusal = error->what();
        });
      });
      QVERIFY2(
          QTest::qWaitFor([&] { return refusal.find("too many connections") != std::string::npos; }, 20'000),
          refusal.c_str());
    }
    others.pop_back();
    QVERIFY(QTest::qWaitFor([&] { return ask() == "fine"; }, 20'000));
  }

  // As many levels as fit a line take more than a small stack where something recurses into them.
  void anIdIsNotReadToAnyDepth() {
    pthread_attr_t attributes;
    QCOMPARE(pthread_attr_init(&attributes), 0);
    QCOMPARE(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
    static const std::string kDeep = std::string(30'000, '[') + std::string(30'000, ']');
    for (static std::string line : {"{\"v\":1,\"id\":" + kDeep + "}", kDeep, "{\"id\":" + kDeep}) {
      pthread_t thread;
      static bool isNull = false;
      const auto read = [](void*) -> void* {
        isNull = request_id(line).is_null();
        return nullptr;
      };
      QCOMPARE(pthread_create(&thread, &attributes, read, nullptr), 0);
      QCOMPARE(pthread_join(thread, nullptr), 0);
      QVERIFY(isNull);
    }
    pthread_attr_destroy(&attributes);
    QVERIFY(request_id(R"({"id":"a","command":3})") == "a");
    QVERIFY(request_id(R"({"id":[1]})").is_null());
    QVERIFY(request_id("nonsense").is_null());
  }

  void aDirectoryOfSomebodyElseIsRefused() {
    if (geteuid() != 0) QSKIP("only root can give a directory away");
    const auto paths = protocol::run_paths("aaaaaaaa");
    fs::create_directories(paths.runtime);
    QVERIFY(chown(paths.runtime.c_str(), 12345, 12345) == 0);
    QVERIFY_EXCEPTION_THROWN(protocol::make_run_directories(paths), Error);
  }

  void noShellSeesArguments() {
    const std::vector<std::string> arguments{"$(touch " + (root_ / "made").string() + ")", "; exit 3", "*",
                                             "a  b", "$HOME"};
    std::vector<std::string> format{"%s\n"};
    format.insert(format.end(), arguments.begin(), arguments.end());
    const ReplicaOrder order{"/usr/bin/printf", format, "/", {}, root_ / "printed.log"};
    int status = -1;
    QCOMPARE(waitpid(spawn(order), &status, 0) > 0, true);
    QCOMPARE(status, 0);
    std::string expected;
    for (const std::string& argument : arguments) expected += argument + "\n";
    QCOMPARE(testing::contents(root_ / "printed.log"), expected);
    QVERIFY(!fs::exists(root_ / "made"));
  }

  void whatProgramsAreGivenIsListedWithoutTheToken() {
    const auto paths = protocol::run_paths("bbbbbbbb");
    protocol::make_run_directories(paths);
    protocol::RunSpec spec;
    spec.program = "/usr/bin/env";
    spec.working_directory = "/";
    ExecLauncher launcher;
    qputenv(protocol::variable::kRendezvousToken, "a secret of somebody else's");
    const auto forget = qScopeGuard([] { qunsetenv(protocol::variable::kRendezvousToken); });
    std::set<std::string> meetings;
    for (int number : {0, 1}) {
      Generation generation({.number = number,
                             .run = "bbbbbbbb",
                             .spec = spec,
                             .paths = paths,
                             .placement = place(spec, 1, machine_with(1, 0), {}),
                             .supervisor_url = "http://127.0.0.1:1/secret"},
                            launcher);
      for (const auto& process : generation.processes()) waitpid(process.pid, nullptr, 0);
      const auto listed = protocol::Json::parse(testing::contents(paths.environment));
      std::istringstream given(testing::contents(paths.log_file(number, 0)));
      for (std::string line; std::getline(given, line);) {
        const std::string name = line.substr(0, line.find('='));
        QVERIFY(name != protocol::variable::kRendezvousToken);
        if (!name.starts_with("ADAPTDL_") && !name.starts_with("BATCHSCOPE_TELEMETRY")) continue;
        QVERIFY2(listed.contains(name), name.c_str());
        const bool secret = name == protocol::variable::kSupervisorUrl;
        QCOMPARE(listed.at(name).get<std::string>(),
                 secret ? "http://127.0.0.1:1" : line.substr(name.size() + 1));
      }
      QVERIFY(listed.contains(protocol::variable::kSupervisorUrl));
      QVERIFY(listed.dump().find("secret") == std::string::npos);
      meetings.insert(listed.at(protocol::variable::kMasterAddress).get<std::string>());
    }
    QCOMPARE(meetings.size(), std::size_t(2));  // no generation meets where the one before it did
  }
};

}  // namespace batchscope::run

BATCHSCOPE_TEST(batchscope::run::TestSecurity)
#include "test_security.moc"
