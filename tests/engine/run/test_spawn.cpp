// SPDX-License-Identifier: Apache-2.0
//
// Programs that are executed: what they inherit and what they do not, and what cannot be started.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <filesystem>
#include <iterator>

#include "launch/launcher.h"
#include "open_files.h"
#include "signal_masks.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

class TestSpawn : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  const fs::path log_ = folder_.filePath("log").toStdString();

  ReplicaOrder script(const std::string& line) const {
    return {"/bin/sh", {"-c", line}, folder_.path().toStdString(), {{"ONLY", "this"}}, log_};
  }
  static int ended(pid_t pid) {
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
  }

 private Q_SLOTS:
  void init() { fs::remove(log_); }

  void aProgramIsALeaderWithAnEnvironmentOfItsOwn() {
    const std::ptrdiff_t before = testing::count_open_files();
    const pid_t pid = spawn(script("echo \"$ONLY\" $HOME; env | grep -c ONLY; exit 3"));
    QCOMPARE(ended(pid), W_EXITCODE(3, 0));
    QCOMPARE(testing::contents(log_), "this\n1\n");
    QCOMPARE(fs::status(log_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    const pid_t sleeper = spawn(script("exec sleep 1000"));
    QCOMPARE(getsid(sleeper), sleeper);
    ::kill(-sleeper, SIGKILL);
    QCOMPARE(ended(sleeper), SIGKILL);
    QCOMPARE(testing::count_open_files(), before);
  }

  // A replica keeps none of the descriptors by which they were opened.
  void itsDescriptorsAreThreeAndItsLogIsTwoOfThem() {
    ReplicaOrder order = script("");
    order.program = "/bin/ls";
    order.arguments = {"-l", "/proc/self/fd"};
    QCOMPARE(ended(spawn(order)), 0);
    const std::string listed = testing::contents(log_);
    const auto times = [&](const std::string& part) {
      int found = 0;
      for (auto at = listed.find(part); at != std::string::npos; at = listed.find(part, at + 1)) ++found;
      return found;
    };
    int inherited = 0;  // of whoever started this test
    for (int fd = 3; fd < 1024; ++fd)
      if (const int flags = fcntl(fd, F_GETFD); flags >= 0 && (flags & FD_CLOEXEC) == 0) {
        std::error_code none;
        inherited += fs::read_symlink("/proc/self/fd/" + std::to_string(fd), none) == "/dev/null" ? 1 : 0;
      }
    QVERIFY2(times(" -> " + log_.string() + "\n") == 2 && times(" -> /dev/null\n") == 1 + inherited,
             listed.c_str());
  }

  void aLogIsContinued() {
    testing::write_file(log_, "before\n");
    ended(spawn(script("echo after; echo error >&2")));
    QCOMPARE(testing::contents(log_), "before\nafter\nerror\n");
  }

  // Under its number here, or another.
  void aDescriptorMayBeInherited() {
    for (const int its : {7, 9}) {
      int ends[2];
      QCOMPARE(pipe2(ends, O_CLOEXEC), 0);
      const int ours = fcntl(ends[0], F_DUPFD_CLOEXEC, 9);
      QCOMPARE(write(ends[1], "hello\n", 6), 6);
      const int number = its == 9 ? ours : its;
      const pid_t pid =
          spawn(script("head -n 1 /proc/self/fd/" + std::to_string(number)), Inherited{ours, number});
      QCOMPARE(ended(pid), 0);
      for (const int fd : {ends[0], ends[1], ours}) close(fd);
    }
    QCOMPARE(testing::contents(log_), "hello\nhello\n");
  }

  void signalsWaitOrEndIt() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (const int number : {SIGHUP, SIGUSR1, SIGSYS}) signal(number, SIG_IGN);
    ReplicaOrder order = script("");  // a shell would let all of them through
    order.program = "/bin/cat";
    order.arguments = {"/proc/self/status"};
    const pid_t pid = spawn(order, {}, {SIGTERM, SIGUSR2});
    for (const int number : {SIGHUP, SIGUSR1, SIGSYS}) signal(number, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    QCOMPARE(ended(pid), 0);
    QCOMPARE(signals_of(testing::contents(log_), "SigBlk"), 1u << (SIGTERM - 1) | 1u << (SIGUSR2 - 1));
    QCOMPARE(signals_of(testing::contents(log_), "SigIgn"), 0u);
  }

  // So that one that does not speak telemetry ends, too.
  void aProgramIsAskedToLeaveWhenItsSupervisorDies() {
    const fs::path asked = folder_.filePath("asked").toStdString();
    const pid_t supervisor = fork();
    if (supervisor == 0) {
      const pid_t pid = spawn(script("trap 'echo > asked; exit' TERM; echo begun; sleep 1000 & wait"));
      while (testing::contents(log_) != "begun\n") usleep(1000);
      _exit(pid > 0 ? 0 : 1);
    }
    QCOMPARE(ended(supervisor), 0);
    QVERIFY(QTest::qWaitFor([&] { return fs::exists(asked); }, 20000));
  }

  void whatCannotBeStartedIsNamed() {
    const std::ptrdiff_t before = testing::count_open_files();
    const std::string in = folder_.path().toStdString();
    const auto refusal = [](const ReplicaOrder& order) { return testing::thrown_by([&] { spawn(order); }); };
    ReplicaOrder missing = script("true");
    missing.program = "/no/such/program";
    QCOMPARE(refusal(missing), "not_found: cannot start /no/such/program in " + in + " with its log in " +
                                   log_.string() + ": No such file or directory");
    ReplicaOrder nowhere = script("true");
    nowhere.working_directory = "/no/such/folder";
    VERIFY_HOLDS(refusal(nowhere), "not_found: cannot start /bin/sh in /no/such/folder with its log in ");
    ReplicaOrder unlogged = script("true");
    unlogged.log = "/no/such/log";
    VERIFY_HOLDS(refusal(unlogged), "not_found: cannot start /bin/sh in ", " with its log in /no/such/log: ");
    ReplicaOrder text = script("true");
    text.program = folder_.filePath("text").toStdString();
    testing::write_file(text.program, "no program");
    VERIFY_HOLDS(refusal(text), "io: cannot start ", ": Permission denied");

    ExecLauncher launcher;
    VERIFY_THROWS("not_found", "/no/such/program",
                  launcher.launch({script("exec sleep 1000"), script("exec sleep 1000"), missing}));
    QCOMPARE(waitpid(-1, nullptr, WNOHANG), -1);  // there is no child, not even a dead one
    QCOMPARE(testing::count_open_files(), before);
    const auto pids = launcher.launch({script("exit 4"), script("exit 5")});
    QCOMPARE(pids.size(), 2u);
    QCOMPARE(ended(pids[0]), W_EXITCODE(4, 0));
    QCOMPARE(ended(pids[1]), W_EXITCODE(5, 0));
  }
};

BATCHSCOPE_TEST(TestSpawn)
#include "test_spawn.moc"
