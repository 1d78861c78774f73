// SPDX-License-Identifier: Apache-2.0
//
// A line of frames between two ends in this process, with TLS and without.
#include "nodes/frame_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <vector>

#include "batchscope/protocol/error.h"
#include "nodes/line_server.h"
#include "nodes/tls_line.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;

class TestFrameSocket : public QObject {
  Q_OBJECT

  static bool eventually(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 20000); }

  std::unique_ptr<LineServer> server_;
  std::unique_ptr<FrameSocket> here_, there_;  // there: the one that was called
  std::vector<std::string> came_;              // there
  int connected_ = 0, closed_ = 0;             // here

  // Connects the two, and forgets the server, which the sockets outlive.
  void connect_both(bool tls) {
    const std::string token(64, 'a');
    server_ = std::make_unique<LineServer>(Welcome{token, tls});
    QVERIFY(server_->listen(QHostAddress(QStringLiteral("127.0.0.2"))));
    here_ = std::make_unique<FrameSocket>(tls ? std::unique_ptr<QTcpSocket>(make_tls_socket(token))
                                              : std::make_unique<QTcpSocket>());
    here_->on_connected = [this] { ++connected_; };
    here_->on_closed = [this] { ++closed_; };
    here_->on_frame = [](const Frame&) {};
    here_->socket().connectToHost(server_->serverAddress(), server_->serverPort());
    QVERIFY(eventually([this] { return server_->hasPendingConnections(); }));
    there_ = std::make_unique<FrameSocket>(std::unique_ptr<QTcpSocket>(server_->nextPendingConnection()));
    there_->on_frame = [this](const Frame& frame) { came_.push_back(frame.bytes); };
    server_.reset();
    QVERIFY(eventually([this] { return here_->stands() && there_->stands(); }));
    QCOMPARE(connected_, 1);
  }
  static void with_tls_and_without() {
    const auto row = testing::columns<bool>({"tls"});
    row("plain", false);
    row("encrypted", true);
  }

 private Q_SLOTS:
  void init() {
    came_.clear();
    connected_ = closed_ = 0;
  }
  void cleanup() {
    here_.reset();
    there_.reset();
  }

  // At both ends, so that each finds out that the other is gone.
  void bothEndsAreWatched_data() { with_tls_and_without(); }
  void bothEndsAreWatched() {
    QFETCH(bool, tls);
    connect_both(tls);
    for (const FrameSocket* const end : {here_.get(), there_.get()}) {
      int value = -1;
      socklen_t size = sizeof value;
      const int descriptor = static_cast<int>(end->socket().socketDescriptor());
      getsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &value, &size);
      QCOMPARE(value, 1);
      getsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &value, &size);
      QCOMPARE(value, 1);
    }
  }

  // Much is sent piece by piece, as the other end takes it.
  void whoSendsMuchIsToldWhenItHasLeft_data() { with_tls_and_without(); }
  void whoSendsMuchIsToldWhenItHasLeft() {
    QFETCH(bool, tls);
    connect_both(tls);
    constexpr std::int64_t kMost = 1 << 20;
    constexpr std::size_t kPieces = 200;
    const std::string piece(1 << 16, 'x');
    std::size_t sent = 0;
    here_->on_sent = [&] {
      for (; sent < kPieces && here_->waiting() < kMost; ++sent) here_->send(FrameKind::output, piece);
    };
    here_->on_sent();
    QVERIFY(sent < kPieces);
    QVERIFY(here_->waiting() >= kMost);
    QVERIFY(eventually([&] { return came_.size() == kPieces; }));
    QVERIFY(came_.back() == piece);
    QCOMPARE(here_->waiting(), 0);
  }

  // Whatever came with it.
  void nothingIsTakenBehindTheEnd_data() { with_tls_and_without(); }
  void nothingIsTakenBehindTheEnd() {
    QFETCH(bool, tls);
    connect_both(tls);
    there_->on_frame = [this](const Frame& frame) {
      came_.push_back(frame.bytes);
      if (frame.bytes == "wrong") throw Error(ErrorKind::usage, "it is wrong");
    };
    std::vector<std::string> answers;
    here_->on_frame = [&](const Frame& frame) {
      answers.push_back(std::to_string(frame.kind == FrameKind::refused) + " " + frame.bytes);
    };
    for (const char* const bytes : {"right", "wrong", "right"}) here_->send(FrameKind::output, bytes);
    QVERIFY(eventually([this] { return closed_ > 0; }));
    QCOMPARE(came_, (std::vector<std::string>{"right", "wrong"}));
    QCOMPARE(answers, std::vector<std::string>{"1 it is wrong"});
    QCOMPARE(closed_, 1);
    QVERIFY(!here_->stands() && !there_->stands());
    here_->send(FrameKind::output, "to nobody");
    QCOMPARE(here_->waiting(), 0);
  }
};

BATCHSCOPE_TEST(TestFrameSocket)
#include "test_frame_socket.moc"
