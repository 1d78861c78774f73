// SPDX-License-Identifier: Apache-2.0
//
// A command's request to a supervisor: what comes of its answer, and of each way in which there is none.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QScopeGuard>
#include <chrono>
#include <filesystem>
#include <thread>

#include "batchscope/protocol/control.h"
#include "batchscope/protocol/unix_address.h"
#include "batchscope/run/client.h"
#include "open_files.h"
#include "stored_runs.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

class TestRequest : public QObject {
  Q_OBJECT

  // A listener in a supervisor's place. It takes nobody until it is told what to say.
  class Socket {
   public:
    explicit Socket(const std::string& id, int backlog = 8) {
      const auto address = protocol::unix_address(protocol::run_paths(id).control_socket);
      if (bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
          listen(fd_, backlog) != 0)
        qFatal("cannot listen");
    }
    ~Socket() { close(fd_); }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    // Takes one request, says all of this, and hangs up.
    std::jthread answer(const std::vector<std::string>& pieces) const {
      return std::jthread([this, pieces] {
        pollfd waiting{fd_, POLLIN, 0};
        if (poll(&waiting, 1, 20'000) != 1) return;
        const int line = accept(fd_, nullptr, nullptr);
        for (char byte = 0; byte != '\n' && recv(line, &byte, 1, 0) == 1;) {
        }
        for (const std::string& piece : pieces) send(line, piece.data(), piece.size(), MSG_NOSIGNAL);
        close(line);
      });
    }

   private:
    const int fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  };

  std::unique_ptr<StoredRuns> runs_;
  std::string id_;

 private Q_SLOTS:
  void init() {
    runs_ = std::make_unique<StoredRuns>();
    id_ = runs_->add(runs_->spec());
  }

  void anAnswerMayBeLongAndComeInPieces() {
    const Socket supervisor(id_);
    const std::string text(100'000, 'x'), line = protocol::reply_line(1, text);
    const std::jthread answer = supervisor.answer({line.substr(0, 10), line.substr(10)});
    QCOMPARE(request(id_, {}, 20'000).get<std::string>(), text);
  }

  void theErrorOfAnAnswerIsThrown() {
    const Socket supervisor(id_);
    const std::jthread answer =
        supervisor.answer({protocol::error_line(1, Error(ErrorKind::conflict, "it is busy"))});
    VERIFY_THROWS("conflict", "it is busy", request(id_, {}, 20'000));
  }

  void whoEndsHasNotAnswered() {
    const Socket supervisor(id_);
    const std::string line = protocol::reply_line(1, "fine");
    for (const std::size_t said : {std::size_t(0), line.size() - 1}) {
      const std::jthread answer = supervisor.answer({line.substr(0, said)});
      VERIFY_THROWS("io", "the supervisor of run " + id_ + " ended before it answered",
                    request(id_, {}, 20'000));
    }
  }

  void whoIsSilentIsNotAwaitedForLonger() {
    const Socket supervisor(id_);
    VERIFY_THROWS("timeout", "the supervisor of run " + id_ + " did not answer in time",
                  request(id_, {}, 50));
  }

  // This process has the run, and listens nowhere. One that has just begun listens soon, and is waited for.
  void whoDoesNotListenIsToldApartFromNobody() {
    VERIFY_THROWS("not_found", "run " + id_ + " has no supervisor; resume it with: batchscope resume " + id_,
                  request(id_, {}, 20'000));
    QVERIFY(runs_->catalogue().claim_supervisor(id_));
    VERIFY_THROWS("io", "process " + std::to_string(getpid()) + ", does not listen at", request(id_, {}, 10));
    const std::jthread begins([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const Socket supervisor(id_);
      supervisor.answer({protocol::reply_line(1, "fine")}).join();
    });
    QCOMPARE(request(id_, {}, 20'000).get<std::string>(), "fine");
  }

  // A catalogue that cannot be read, or is not there, knows of no supervisor.
  void whereThereIsNoCatalogueThereIsNobody() {
    const std::string nobody = "run " + id_ + " has no supervisor; resume it with: batchscope resume " + id_;
    VERIFY_THROWS("not_found", "run aaaaaaaa has no supervisor", request("aaaaaaaa", {}, 10));
    qputenv("BATCHSCOPE_DB", runs_->path("missing.db").c_str());
    VERIFY_THROWS("not_found", nobody, request(id_, {}, 10));
    QVERIFY(!std::filesystem::exists(runs_->path("missing.db")));
    testing::write_file(runs_->path("damaged.db"), std::string(10'000, 'x'));
    qputenv("BATCHSCOPE_DB", runs_->path("damaged.db").c_str());
    VERIFY_THROWS("not_found", nobody, request(id_, {}, 10));
  }

  // A process that asks for years has as many descriptors as at first.
  void whoHasAskedKeepsNothingOpen() {
    VERIFY_THROWS("not_found", "has no supervisor", request(id_, {}, 10));
    const std::ptrdiff_t before = testing::count_open_files();
    VERIFY_THROWS("not_found", "has no supervisor", request(id_, {}, 10));
    QVERIFY(!is_supervised(id_));
    QCOMPARE(testing::count_open_files(), before);
    const Socket supervisor(id_);
    QVERIFY(is_supervised(id_));
    VERIFY_THROWS("timeout", "did not answer in time", request(id_, {}, 10));
    QCOMPARE(testing::count_open_files(), before + 1);
  }

  // The kernel takes less of it at a time.
  void aRequestMayBeLong() {
    const Socket supervisor(id_);
    protocol::Request long_one;
    long_one.devices.assign(200'000, "cpu:0");
    const std::jthread answer = supervisor.answer({protocol::reply_line(1, "fine")});
    QCOMPARE(request(id_, long_one, 20'000).get<std::string>(), "fine");
    VERIFY_THROWS("timeout", "did not answer in time", request(id_, long_one, 50));  // nobody reads it
  }

  void aSignalMeanwhileChangesNothing() {
    struct sigaction usual {
    }, none{};
    none.sa_handler = [](int) {};
    sigaction(SIGUSR1, &none, &usual);
    const auto back = qScopeGuard([&] { sigaction(SIGUSR1, &usual, nullptr); });
    const Socket supervisor(id_);
    const pthread_t asks = pthread_self();
    const std::jthread disturbs([&, asks] {
      for (int i = 0; i < 20; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        pthread_kill(asks, SIGUSR1);
      }
      supervisor.answer({protocol::reply_line(1, "fine")}).join();
    });
    QCOMPARE(request(id_, {}, 20'000).get<std::string>(), "fine");
  }

  // Somebody else listens where the supervisor should.
  void whoIsNotTrustedIsNotAsked() {
    if (geteuid() != 0) QSKIP("only root can become somebody else");
    const auto socket_file = protocol::run_paths(id_).control_socket;
    int ready[2];
    QCOMPARE(pipe2(ready, O_CLOEXEC), 0);
    const pid_t stranger = fork();
    if (stranger == 0) {
      const auto address = protocol::unix_address(socket_file);
      const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const bool is_there = bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                            seteuid(65534) == 0 && listen(fd, 8) == 0;
      const char byte = is_there ? 'y' : 'n';
      (void)!::write(ready[1], &byte, 1);
      constexpr std::string_view kNotice = R"({"v":1,"event":"notice","level":"info","text":"trust me"})"
                                           "\n";
      for (int line; (line = accept(fd, nullptr, nullptr)) >= 0;)
        ::send(line, kNotice.data(), kNotice.size(), MSG_NOSIGNAL);
      _exit(0);
    }
    const auto end = qScopeGuard([&] {
      ::kill(stranger, SIGKILL);
      waitpid(stranger, nullptr, 0);
      for (const int fd : ready) close(fd);
    });
    char byte = 'n';
    QCOMPARE(::read(ready[0], &byte, 1), 1);
    QCOMPARE(byte, 'y');
    const std::ptrdiff_t before = testing::count_open_files();
    VERIFY_THROWS("io", "another user's process listens at " + socket_file.string() + ": remove the socket",
                  request(id_, {}, 20'000));
    QCOMPARE(testing::count_open_files(), before);
    ControlClient client(id_);
    bool heard = false;
    connect(&client, &ControlClient::eventAdded, this, [&] { heard = true; });
    QVERIFY(!QTest::qWaitFor([&] { return heard || client.connected(); }, 200));
  }

  // Also one that is so busy that others wait for it already.
  void whoListensIsThere() {
    QVERIFY(!is_supervised(id_));
    {
      const Socket supervisor(id_, 0);
      QVERIFY(is_supervised(id_));
      QVERIFY(is_supervised(id_));
      QVERIFY(is_supervised(id_));
    }
    QVERIFY(!is_supervised(id_));
    VERIFY_THROWS("usage", "is not a run id", is_supervised("../../a"));
  }
};

BATCHSCOPE_TEST(TestRequest)
#include "test_request.moc"
