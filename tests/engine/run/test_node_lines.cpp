// SPDX-License-Identifier: Apache-2.0
//
// Lines between nodes, encrypted and not: who agrees with whom, what is read and written, and when one is
// given up.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QScopeGuard>
#include <QSslCipher>
#include <QSslSocket>
#include <QTcpServer>
#include <chrono>
#include <filesystem>
#include <future>
#include <iterator>
#include <memory>
#include <vector>

#include "batchscope/protocol/telemetry.h"
#include "batchscope/protocol/time_outs.h"
#include "lone_agent.h"
#include "nodes/agent_line.h"
#include "nodes/blocking_line.h"
#include "nodes/frame.h"
#include "nodes/tcp_line.h"
#include "nodes/tls_line.h"
#include "open_files.h"
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

}  // namespace

class TestNodeLines : public QObject {
  Q_OBJECT

  static bool eventually(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 20000); }

  // Returns why it breaks.
  static std::string end_of(BlockingLine& line, bool reads) {
    try {
      for (;;)
        if (reads)
          line.read();
        else
          line.write(std::string(1 << 20, 'x'));
    } catch (const BlockingLine::Broken& broken) {
      return broken.why;
    }
  }

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
    const std::ptrdiff_t before = testing::count_open_files();
    int port = 0;
    {
      QTcpServer server;
      QVERIFY(server.listen(QHostAddress(QStringLiteral("127.0.0.2"))));
      port = server.serverPort();
    }
    QCOMPARE(testing::thrown_by([&] { connect_tcp_line("127.0.0.2", port); }),
             "io: no connection to 127.0.0.2:" + std::to_string(port) + ": Connection refused");
    VERIFY_THROWS("io", std::string("no connection to localhost:4711: ") + gai_strerror(EAI_NONAME),
                  connect_tcp_line("localhost", 4711));  // no number
    QCOMPARE(testing::count_open_files(), before);
  }

  // The system holds up whoever connects while others have not been taken: it is given up, or comes in time.
  void whoIsHeldUpWaitsForAWhile() {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    QCOMPARE(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
    QCOMPARE(listen(listener, 0), 0);
    getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    const int port = ntohs(address.sin_port);
    const std::ptrdiff_t before = testing::count_open_files();
    std::vector<int> waiting;
    std::string refusal;
    while (refusal.empty() && waiting.size() < 10) try {
        waiting.push_back(connect_tcp_line("127.0.0.1", port, std::chrono::milliseconds(50)));
      } catch (const Error& error) {
        refusal = std::string(error_kind_name(error.kind())) + ": " + error.what();
      }
    QCOMPARE(refusal,
             "timeout: no connection to 127.0.0.1:" + std::to_string(port) + ": Connection timed out");
    QCOMPARE(testing::count_open_files(), before + std::ssize(waiting));
    auto last = std::async(std::launch::async,
                           [port] { return connect_tcp_line("127.0.0.1", port, std::chrono::seconds(30)); });
    last.wait_for(std::chrono::milliseconds(100));
    waiting.push_back(accept(listener, nullptr, nullptr));
    waiting.push_back(last.get());
    QCOMPARE(write(waiting.back(), "x", 1), 1);
    for (const int fd : waiting) close(fd);
    close(listener);
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

  // The other end has gone without having read all.
  void whyALineBreaksIsSaid() {
    signal(SIGPIPE, SIG_IGN);
    const auto restore = qScopeGuard([] { signal(SIGPIPE, SIG_DFL); });
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress(QStringLiteral("127.0.0.2"))));
    for (const bool reads : {true, false}) {
      const auto line = connect_blocking_line("127.0.0.2", server.serverPort(), {kOtherToken, false});
      line->write("to nobody");
      QVERIFY(server.waitForNewConnection(10000));
      delete server.nextPendingConnection();
      const std::string why = end_of(*line, reads);
      QVERIFY2(why == "Connection reset by peer" || (!reads && why == "Broken pipe"), why.c_str());
    }
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

  // The agent of a node that is lost is told by the end of its line.
  void whoIsSilentForLongIsLost() {
    const double before = protocol::monotonic_seconds();
    LoneAgent agent;
    AgentLine line(agent.offer(), LoneAgent::token());
    std::string lost;
    line.on_lost = [&](const std::string& why) { lost += why; };
    QVERIFY(eventually([&] { return line.clock_offset() != 0; }));
    line.check(before + 10);
    QCOMPARE(lost, "");
    line.check(protocol::monotonic_seconds() + 10.1);
    QCOMPARE(lost, "it has not been heard for 10 s");
    QVERIFY(!line.stands());
    QVERIFY(eventually([&] { return agent.process().state() == QProcess::NotRunning; }));
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
    LoneAgent killed(true);
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
    const auto broken = connect_blocking_line("127.0.0.2", killed.offer().port, {LoneAgent::token(), true});
    killed.process().kill();
    QVERIFY(killed.process().waitForFinished());
    QVERIFY(!end_of(*broken, false).empty());
  }
};

BATCHSCOPE_TEST(TestNodeLines)
#include "test_node_lines.moc"
