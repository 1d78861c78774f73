// SPDX-License-Identifier: Apache-2.0
//
// The fork server of a program, and the replicas that it makes: the first generation by a fork each, the next
// ones of processes that were forked ahead.
#include "process/fork_server.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <thread>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/fork_server.h"
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

// A program whose replicas say their name, how many files they have open, and who leads their session.
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
      std::printf("%s %ld %d\n", name ? name : "nobody", open_descriptors(), getsid(0) == getpid());
      std::fflush(stdout);
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
    return name + " " + std::to_string(descriptors_) + " 1\n";
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
      }
      QTest::qWait(300);  // until processes are forked ahead
    }
    QCOMPARE(program.end(), 0);
    while (wait(nullptr) > 0) {  // those that were forked ahead end, too
    }
  }

  // Also of those that are forked ahead.
  void whatCannotBeDoneIsAnswered() {
    ForkingProgram program;
    QCOMPARE(program.answer().error, "");
    for (const char* generation : {"first", "second"}) {
      program.order(5, "name", 1, path("nowhere/log"));
      const auto refused = program.answer();
      VERIFY_HOLDS(refused.error, "cannot write " + path("nowhere/log") + ": No such file or directory");
      QCOMPARE(refused.number, 5);
      protocol::send_packet(program.socket(), "nonsense");
      QVERIFY(!program.answer().error.empty());
      program.order(6, generation, 1, path(generation));
      QCOMPARE(program.answer().number, 6);
      QTest::qWait(300);
    }
    QCOMPARE(program.end(), 0);
  }

  void aProgramThatWasBusyBeforeRefuses() {
    ForkingProgram program([] { std::thread([] { pause(); }).detach(); });
    QCOMPARE(program.answer().error, "it runs 2 threads when it calls init_process_group()");
    QCOMPARE(program.end(), 0);
  }

  void aProgramThatIsNotAskedServesNobody() { QVERIFY(!serve_forks()); }
};

BATCHSCOPE_TEST(TestForkServer)
#include "test_fork_server.moc"
