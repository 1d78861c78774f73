// SPDX-License-Identifier: Apache-2.0
//
// What a run keeps to itself, and what it gives to its programs: private sockets, arguments that no shell
// sees, an environment that is listed without its secret.
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "generation.h"
#include "local_listener.h"
#include "machines.h"

namespace batchscope::run {

namespace fs = std::filesystem;

class TestSecurity : public QObject {
  Q_OBJECT

  QTemporaryDir directory_;
  const fs::path root_ = directory_.path().toStdString();

  static std::string contents(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

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
        sockaddr_un address{AF_UNIX, {}};
        std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
        const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        char byte;
        _exit(setuid(user) == 0 &&
                      ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
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
    QCOMPARE(contents(root_ / "printed.log"), expected);
    QVERIFY(!fs::exists(root_ / "made"));
  }

  void whatProgramsAreGivenIsListedWithoutTheToken() {
    const auto paths = protocol::run_paths("bbbbbbbb");
    protocol::make_run_directories(paths);
    protocol::RunSpec spec;
    spec.program = "/usr/bin/env";
    spec.working_directory = "/";
    ExecLauncher launcher;
    std::set<std::string> meetings;
    for (int number : {0, 1}) {
      Generation generation(number, "bbbbbbbb", spec, paths, place(spec, 1, machine_with(1, 0), {}),
                            "http://127.0.0.1:1/secret", launcher);
      for (const auto& process : generation.processes()) waitpid(process.pid, nullptr, 0);
      const auto listed = protocol::Json::parse(contents(paths.environment));
      std::istringstream given(contents(paths.log_file(number, 0)));
      for (std::string line; std::getline(given, line);) {
        const std::string name = line.substr(0, line.find('='));
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

QTEST_GUILESS_MAIN(batchscope::run::TestSecurity)
#include "test_security.moc"
