// SPDX-License-Identifier: Apache-2.0
//
// A command's request to a supervisor: what comes of its answer, and of each way in which there is none.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "batchscope/protocol/control.h"
#include "batchscope/protocol/unix_address.h"
#include "batchscope/run/client.h"
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
