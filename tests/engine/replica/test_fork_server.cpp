// SPDX-License-Identifier: Apache-2.0
//
// The fork server of a program, and the replicas that it makes: the first generation by a fork each, the next
// ones of processes that were forked ahead.
#include "process/fork_server.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <thread>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/fork_server.h"
#include "standard_error.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;

namespace {

long open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

// Returns the processes whose parent this one is, as a supervisor would be theirs; those that have ended
// among them.
std::multiset<pid_t> own_processes() {
  std::multiset<pid_t> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string stat;
    std::ifstream file(entry.path() / "stat");
    std::getline(file, stat);             // empty where the process has ended meanwhile
    const auto behind = stat.rfind(')');  // of the program's name
    if (behind != std::string::npos && std::atoi(stat.c_str() + behind + 4) == getpid())
      all.insert(std::atoi(name.c_str()));
  }
  return all;
}

// A program whose replicas say their name, how many files they have open, who leads their session, and
// whether they know of the server's environment. One that is to stay waits for a signal then.
class ForkingProgram {
 public:
  explicit ForkingProgram(const std::function<void()>& before = [] {}) : descriptors_(open_descriptors()) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) qFatal("no sockets");
    const timeval patience{20, 0};
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::fflush(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[0]);
      setenv(protocol::variable::kForkServer, std::to_string(ends[1]).c_str(), 1);
      before();
      if (!serve_forks()) _exit(9);
      const char* const name = getenv("NAME");
      std::printf("%s %ld %d %d\n", name ? name : "nobody", open_descriptors(), getsid(0) == getpid(),
                  getenv(protocol::variable::kForkServer) != nullptr);
      std::fflush(stdout);
      std::cout.flush();
      std::fputs("the error\n", stderr);
      if (getenv("STAY")) pause();
      _exit(3);
    }
    close(ends[1]);
    socket_ = ends[0];
  }

  void order(int number, const std::string& name, int replicas, const std::string& log) const {
    send({{{"NAME", name}, {protocol::variable::kNumReplicas, std::to_string(replicas)}}, log, number});
  }
  void send(const protocol::ForkOrder& order) const { protocol::send_packet(socket_, encode(order)); }
  int socket() const { return socket_; }
  protocol::ForkAnswer answer() const {
    const auto packet = protocol::receive_packet(socket_);
    return packet ? protocol::decode_fork_answer(*packet) : protocol::ForkAnswer{0, "it is gone"};
  }
  // A replica is our child only once the process between the server and it is gone.
  static int end_of(std::int64_t pid) {
    int status = 0;
    while (waitpid(static_cast<pid_t>(pid), &status, 0) < 0) {
      if (errno != ECHILD && errno != EINTR) return -1;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int end() {
    close(socket_);
    return end_of(pid_);
  }

  pid_t pid() const { return pid_; }
  std::string said_by(const std::string& name) const {
    return name + " " + std::to_string(descriptors_) + " 1 0\nthe error\n";
  }
  // Ends the server, and returns how many processes it had forked ahead, which end with it; -1 where one of
  // them does not end as it should.
  int end_with_those_ahead() {
    if (end() != 0) return -1;
    int count = 0, status = 0;
    for (bool is_good = true; wait(&status) > 0;) {
      is_good = is_good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
      count = is_good ? count + 1 : -1;
    }
    return count;
  }

 private:
  long descriptors_;  // of this process before, and so of a replica that has let go of all that was the
                      // server's
  pid_t pid_ = -1;
  int socket_ = -1;
};

}  // namespace

class TestForkServer : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }

 private Q_SLOTS:
  void initTestCase() { prctl(PR_SET_CHILD_SUBREAPER, 1); }  // as a supervisor is

  void eachOrderMakesAReplica() {
    ForkingProgram program;
    const auto ready = program.answer();
    QCOMPARE(ready.error, "");
    QCOMPARE(ready.pid, program.pid());
    QCOMPARE(ready.number, 0);
    int number = 0;
    for (const char* generation : {"first", "second", "third"}) {
      for (const char* rank : {"0", "1"}) {
        const std::string name = std::string(generation) + rank;
        program.order(++number, name, 2, path(name));
        const auto replica = program.answer();
        QCOMPARE(replica.error, "");
        QCOMPARE(replica.number, number);
        QCOMPARE(ForkingProgram::end_of(replica.pid), 3);
        QCOMPARE(testing::contents(path(name)), program.said_by(name));
        QCOMPARE(static_cast<unsigned>(std::filesystem::status(path(name)).permissions()), 0600u);
      }
      QTRY_COMPARE(own_processes().size(), 1u + 2u);  // two are forked ahead
    }
    QCOMPARE(program.end_with_those_ahead(), 2);
  }

  // As many as the largest generation has had, whoever of them is told of it: the server, or one that was
  // forked ahead.
  void asManyAreForkedAheadAsReplicasWere() {
    ForkingProgram program;
    QCOMPARE(program.answer().error, "");
    const auto order = [&](const char* replicas) {
      protocol::ForkOrder order{{}, path("log"), 1};
      if (replicas) order.environment[protocol::variable::kNumReplicas] = replicas;
      program.send(order);
      return ForkingProgram::end_of(program.answer().pid);
    };
    QTest::qWait(150);
    QCOMPARE(own_processes().size(), 1u);  // nobody has had any
    QCOMPARE(order(nullptr), 3);           // a program by itself
    QTRY_COMPARE(own_processes().size(), 1u + 1u);
    QCOMPARE(order("3"), 3);
    QTRY_COMPARE(own_processes().size(), 1u + 3u);
    QCOMPARE(order("2"), 3);
    QTRY_COMPARE(own_processes().size(), 1u + 3u);
    QCOMPARE(order("10"), 3);
    QTRY_COMPARE(own_processes().size(), 1u + 10u);
    QCOMPARE(program.end_with_those_ahead(), 10);
  }

  // Also of those that are forked ahead.
  void whatCannotBeDoneIsAnswered() {
    ForkingProgram program;
    QCOMPARE(program.answer().error, "");
    bool is_orderly = true;  // the end of each that has become no replica
    const auto living = [&] {
      for (int status; waitpid(-1, &status, WNOHANG) > 0;)
        is_orderly = is_orderly && WIFEXITED(status) && WEXITSTATUS(status) == 1;
      return own_processes().size();
    };
    for (const char* generation : {"first", "second"}) {
      program.order(5, "name", 1, path("nowhere/log"));
      const auto refused = program.answer();
      VERIFY_HOLDS(refused.error, "cannot write " + path("nowhere/log") + ": No such file or directory");
      QCOMPARE(refused.number, 5);
      protocol::send_packet(program.socket(), "nonsense");
      const auto nonsense = program.answer();
      QVERIFY(!nonsense.error.empty());
      QCOMPARE(nonsense.number, 0);
      program.order(6, generation, 1, path(generation));
      const auto replica = program.answer();
      QCOMPARE(replica.number, 6);
      QCOMPARE(ForkingProgram::end_of(replica.pid), 3);
      QTRY_COMPARE(living(), 1u + 1u);
      QVERIFY(is_orderly);
    }
    QCOMPARE(program.end_with_those_ahead(), 1);
  }

  // There may be no more than three processes: the server, and what forks a replica, which is two. While a
  // replica stays there can be no other, and none can be forked ahead.
  void aForkThatFailsIsAnswered() {
    if (geteuid() != 0) QSKIP("only root can become a user that has no other processes");
    std::filesystem::permissions(path(""), std::filesystem::perms::all);
    ForkingProgram program([] {
      const rlimit three{3, 3};
      const auto user = static_cast<uid_t>(1'000'000 + getpid());
      if (setresuid(user, user, user) != 0 || setrlimit(RLIMIT_NPROC, &three) != 0) _exit(8);
    });
    QCOMPARE(program.answer().error, "");
    program.send({{{"NAME", "stays"}, {"STAY", "1"}}, path("stays"), 1});
    const auto stays = program.answer();
    QCOMPARE(stays.error, "");
    QTest::qWait(150);  // until one was to be forked ahead
    program.order(2, "other", 1, path("other"));
    const auto refused = program.answer();
    QCOMPARE(refused.error, "cannot fork: Resource temporarily unavailable");
    QCOMPARE(refused.number, 2);
    ::kill(static_cast<pid_t>(stays.pid), SIGKILL);
    QCOMPARE(ForkingProgram::end_of(stays.pid), -1);
    program.order(3, "other", 1, path("other"));
    const auto other = program.answer();
    QCOMPARE(other.error, "");
    QCOMPARE(ForkingProgram::end_of(other.pid), 3);
    QCOMPARE(testing::contents(path("other")), program.said_by("other"));
    QCOMPARE(program.end_with_those_ahead() >= 0, true);
  }

  // Replicas would write it again.
  void whatWasSaidBeforeIsSaidOnce() {
    const std::string before = path("before");
    ForkingProgram program([before] {
      std::ios::sync_with_stdio(false);
      const int file = open(before.c_str(), O_WRONLY | O_CREAT, 0600);
      if (dup2(file, STDOUT_FILENO) < 0 || close(file) != 0) _exit(8);
      std::cout << "by a stream ";
      std::printf("by a file ");
    });
    QCOMPARE(program.answer().error, "");
    program.order(1, "name", 1, path("once"));
    QCOMPARE(ForkingProgram::end_of(program.answer().pid), 3);
    QCOMPARE(testing::contents(path("once")), program.said_by("name"));
    QCOMPARE(testing::contents(before), "by a stream by a file ");
    QVERIFY(program.end_with_those_ahead() >= 0);
  }

  void aProgramThatWasBusyBeforeRefuses() {
    ForkingProgram program([] { std::thread([] { pause(); }).detach(); });
    const auto refused = program.answer();
    QCOMPARE(refused.error, "it runs 2 threads when it calls init_process_group()");
    QCOMPARE(refused.number, 0);
    QCOMPARE(program.end(), 0);
  }

  void aProgramThatIsNotAskedServesNobody() { QVERIFY(!serve_forks()); }

  // A descriptor that people's words go to is none, and what is no socket is nobody's.
  void whatIsNoSocketIsNotServed() {
    const auto end_with = [](int descriptor) {
      const pid_t child = fork();
      if (child == 0) {
        setenv(protocol::variable::kForkServer, std::to_string(descriptor).c_str(), 1);
        _exit(serve_forks() ? 9 : 7);
      }
      return ForkingProgram::end_of(child);
    };
    for (const int descriptor : {0, 1, 2}) QCOMPARE(end_with(descriptor), 7);
    const testing::StandardError kept;
    const int file = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int code = end_with(file);
    close(file);
    QCOMPARE(code, 0);
    QCOMPARE(kept.text(),
             "batchscope: the fork server ends: the fork server's socket: cannot send: Socket operation on "
             "non-socket\n");
  }
};

BATCHSCOPE_TEST(TestForkServer)
#include "test_fork_server.moc"
