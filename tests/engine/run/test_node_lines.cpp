// SPDX-License-Identifier: Apache-2.0
//
// Lines between nodes, encrypted and not: who agrees with whom, what is read and written, and when one is
// given up.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QSslCipher>
#include <QSslSocket>
#include <QTcpServer>
#include <filesystem>
#include <iterator>
#include <memory>

#include "batchscope/protocol/telemetry.h"
#include "batchscope/protocol/time_outs.h"
#include "lone_agent.h"
#include "nodes/agent_line.h"
#include "nodes/blocking_line.h"
#include "nodes/frame.h"
#include "nodes/tcp_line.h"
#include "nodes/tls_line.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

const std::string kOtherToken(64, 'b');

// Returns whether the agent and this socket agree on TLS.
bool agrees(const LoneAgent& agent, QSslSocket& socket) {
  if (!agent.connect(socket)) return false;
  socket.startClientEncryption();
  return socket.waitForEncrypted(10000);
}

std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

}  // namespace

class TestNodeLines : public QObject {
  Q_OBJECT

  static bool eventually(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 20000); }

 private Q_SLOTS:
  // --- TCP ---

  // The system finds out within the time of a line that its other end is gone, whoever is silent.
  void aLineIsWatched() {
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress(QStringLiteral("127.0.0.2"))));
    const int line = connect_tcp_line("127.0.0.2", server.serverPort());
    const auto option = [line](int level, int name) {
      int value = -1;
      socklen_t size = sizeof value;
      getsockopt(line, level, name, &value, &size);
      return value;
    };
    const int all = static_cast<int>(protocol::time_out::kNodeLine.count());
    QCOMPARE(option(SOL_SOCKET, SO_KEEPALIVE), 1);
    const int probes = option(IPPROTO_TCP, TCP_KEEPCNT), between = option(IPPROTO_TCP, TCP_KEEPINTVL);
    QCOMPARE(probes, 3);
    QCOMPARE(option(IPPROTO_TCP, TCP_KEEPIDLE), all / 3);
    QVERIFY(between * probes > all / 2 && option(IPPROTO_TCP, TCP_KEEPIDLE) + between * probes <= all);
    QCOMPARE(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 1000 * all);
    QCOMPARE(option(IPPROTO_TCP, TCP_NODELAY), 1);
    QCOMPARE(fcntl(line, F_GETFL) & O_NONBLOCK, 0);
    QCOMPARE(fcntl(line, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    close(line);
  }

  void whereNobodyListensThatIsSaid() {
    const std::ptrdiff_t before = open_files();
    int port = 0;
    {
      QTcpServer server;
      QVERIFY(server.listen(QHostAddress(QStringLiteral("127.0.0.2"))));
      port = server.serverPort();
    }
    QCOMPARE(testing::thrown_by([&] { connect_tcp_line("127.0.0.2", port); }),
             "io: no connection to 127.0.0.2:" + std::to_string(port) + ": Connection refused");
    VERIFY_THROWS("io", "no connection to localhost:4711: ", connect_tcp_line("localhost", 4711));
    QCOMPARE(open_files(), before);
  }

  // As a stand-in has it.
  void aPlainLineIsReadUntilItsEnd() {
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress(QStringLiteral("127.0.0.2"))));
    const auto line = connect_blocking_line("127.0.0.2", server.serverPort(), {kOtherToken, false});
    QVERIFY(server.waitForNewConnection(10000));
    const std::unique_ptr<QTcpSocket> other{server.nextPendingConnection()};
    line->write("to the agent");
    QVERIFY(other->waitForReadyRead(10000));
    QCOMPARE(other->readAll(), QByteArray("to the agent"));
    other->write("from the agent");
    QVERIFY(other->waitForBytesWritten(10000));
    QVERIFY(!line->has_more());
    QCOMPARE(line->read(), "from the agent");
    other->close();
    std::string why;
    try {
      line->read();
    } catch (const BlockingLine::Broken& broken) {
      why = broken.why;
    }
    QCOMPARE(why, "its agent has closed it");
  }

  // --- the supervisor's ---

  void aSupervisorHearsItsAgent() {
    for (const bool tls : {false, true}) {
      LoneAgent agent(tls);
      AgentLine line(agent.offer(), LoneAgent::token());
      QVERIFY(!line.ready());
      QCOMPARE(line.clock_offset(), 0.0);
      int connected = 0;
      std::string lost;
      line.on_connected = [&] { ++connected; };
      line.on_lost = [&](const std::string& why) { lost = why; };
      QVERIFY(eventually([&] { return line.clock_offset() != 0; }));
      QVERIFY(line.stands() && !line.ready());
      QCOMPARE(connected, 1);
      QCOMPARE(line.own_address(), "127.0.0.1");
      QVERIFY(line.clock_offset() > 0 && line.clock_offset() < 20);  // of the same clock, on its way
      line.check();
      QCOMPARE(lost, "");
      agent.process().kill();
      QVERIFY(eventually([&] { return !lost.empty(); }));
      QCOMPARE(lost, "its agent's line closed");
      QVERIFY(!line.stands());
    }
  }

  void whoHasAnotherTokenIsHungUpOn() {
    const LoneAgent agent;
    AgentLine line(agent.offer(), kOtherToken);
    std::string lost;
    line.on_lost = [&](const std::string& why) { lost += why; };
    QVERIFY(eventually([&] { return !lost.empty(); }));
    QCOMPARE(lost, "its agent's line closed");
    line.check();
    QCOMPARE(lost, "its agent's line closed");  // once
  }

  // An agent has one supervisor.
  void whyAnAgentRefusesIsHandedOn() {
    const LoneAgent agent;
    AgentLine first(agent.offer(), LoneAgent::token());
    QVERIFY(eventually([&] { return first.clock_offset() != 0; }));
    AgentLine second(agent.offer(), LoneAgent::token());
    std::string lost;
    second.on_lost = [&](const std::string& why) { lost += why; };
    QVERIFY(eventually([&] { return !lost.empty(); }));
    QCOMPARE(lost, "the agent has a supervisor already");
    QVERIFY(first.stands());
  }

  // --- TLS ---

  void strangersAgreeOnNothing() {
    const LoneAgent agent(true);
    QVERIFY(agent.offer().tls);
    // A line of TLS says as much to somebody who does not speak it: at most an alert, of seven bytes.
    const std::string hello =
        encode(FrameKind::hello, encode(NodeHello{LoneAgent::token(), Caller::supervisor}));
    QVERIFY(agent.answer_to(hello).size() <= 7);
    QVERIFY(!agrees(agent, *make_tls_socket(kOtherToken)));
    QSslSocket browser;
    browser.setPeerVerifyMode(QSslSocket::VerifyNone);
    QVERIFY(!agrees(agent, browser));
  }

  void whoHasTheTokenSpeaks() {
    const LoneAgent agent(true);
    const auto socket = make_tls_socket(LoneAgent::token());
    QVERIFY2(agrees(agent, *socket), qPrintable(socket->errorString()));
    QCOMPARE(socket->sessionCipher().name(), QString("ECDHE-PSK-CHACHA20-POLY1305"));
    const std::string frames =
        encode(FrameKind::hello, encode(NodeHello{LoneAgent::token(), Caller::stand_in})) +
        encode(FrameKind::signal, "{}");
    socket->write(frames.data(), static_cast<qint64>(frames.size()));
    while (socket->state() == QAbstractSocket::ConnectedState && socket->waitForReadyRead(10000)) {
    }
    VERIFY_HOLDS(socket->readAll().toStdString(), "does not belong here");
  }

  void anAgentThatHasAnotherSecretIsNotBelieved() {
    const LoneAgent agent(true);
    AgentLine line(agent.offer(), kOtherToken);
    std::string lost;
    bool connected = false;
    line.on_lost = [&](const std::string& why) { lost = why; };
    line.on_connected = [&] { connected = true; };
    QVERIFY(eventually([&] { return !lost.empty(); }));
    VERIFY_HOLDS(lost, "the two ends did not agree on TLS, as where one of them has another secret");
    QVERIFY(!connected);
  }

  void aStandInAgreesToo() {
    const LoneAgent agent(true);
    const auto line = connect_blocking_line("127.0.0.2", agent.offer().port, {LoneAgent::token(), true});
    line->write(encode(FrameKind::hello, encode(NodeHello{LoneAgent::token(), Caller::stand_in})) +
                encode(FrameKind::signal, "{}"));
    std::string said, why;
    try {
      for (;;) {
        pollfd readable{line->descriptor(), POLLIN, 0};
        if (!line->has_more()) poll(&readable, 1, 10000);
        said += line->read();
      }
    } catch (const BlockingLine::Broken& broken) {
      why = broken.why;
    }
    QVERIFY(said == encode(FrameKind::refused, "a frame that does not belong here"));
    QCOMPARE(why, "its agent has closed it");
    const auto refusal = testing::thrown_by([&] {
      connect_blocking_line("127.0.0.2", agent.offer().port, {kOtherToken, true});
    });
    VERIFY_HOLDS(refusal,
                 "io: no connection to 127.0.0.2:" + std::to_string(agent.offer().port) +
                     ": the two ends did not agree on TLS, as where one of them has another secret (");
  }
};

BATCHSCOPE_TEST(TestNodeLines)
#include "test_node_lines.moc"
