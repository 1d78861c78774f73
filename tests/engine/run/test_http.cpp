// SPDX-License-Identifier: Apache-2.0
//
// AdaptDL's endpoints as a client sees them, the good one and every other: over real sockets.
#include <QElapsedTimer>
#include <QTcpSocket>
#include <QUrl>
#include <chrono>
#include <memory>

#include "adaptdl/adaptdl_service.h"
#include "adaptdl/http_server.h"
#include "batchscope/protocol/error.h"
#include "rows.h"
#include "test_case.h"

namespace batchscope::run {
namespace {

using namespace std::chrono_literals;

constexpr int kPatience = 20000;  // ms

std::unique_ptr<QTcpSocket> connected(std::uint16_t port) {
  auto socket = std::make_unique<QTcpSocket>();
  socket->connectToHost(QHostAddress::LocalHost, port);
  return socket;
}

// All that the server says until it closes.
QByteArray answer(QTcpSocket& socket) {
  QByteArray all;
  (void)QTest::qWaitFor(
      [&] {
        all += socket.readAll();
        return socket.state() == QAbstractSocket::UnconnectedState;
      },
      kPatience);
  return all;
}

QByteArray exchange(std::uint16_t port, const QByteArray& request) {
  const auto socket = connected(port);
  socket->write(request);
  return answer(*socket);
}

int status(const QByteArray& answer) { return answer.split(' ').value(1).toInt(); }
QByteArray body(const QByteArray& answer) { return answer.mid(answer.indexOf("\r\n\r\n") + 4); }

}  // namespace

class TestHttp : public QObject {
  Q_OBJECT

  AdaptdlService service{"job12345"};
  const QUrl url{QString::fromStdString(service.url())};
  const std::uint16_t port = static_cast<std::uint16_t>(url.port());
  std::vector<protocol::Json> hints;

  QByteArray request(const char* method, const QByteArray& path, const QByteArray& content = {}) {
    return exchange(port, method + (" " + url.path().toLatin1() + path) +
                              " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                              QByteArray::number(content.size()) + "\r\n\r\n" + content);
  }

 private Q_SLOTS:
  void initTestCase() {
    service.on_hints = [this](const protocol::Json& json) { hints.push_back(json); };
  }

  void itListensOnLoopbackAlone() { QCOMPARE(url.host(), QStringLiteral("127.0.0.1")); }

  void itIsWell() { QCOMPARE(status(request("GET", "/healthz")), 200); }

  void aGenerationIsDiscoveredOnceItStands() {
    QCOMPARE(status(request("GET", "/discover/job12345/1?timeout=0")), 408);
    const auto early = connected(port);
    early->write("GET " + url.path().toLatin1() + "/discover/default/job12345/1 HTTP/1.1\r\n\r\n");
    QVERIFY(QTest::qWaitFor([&] { return early->bytesToWrite() == 0; }, kPatience));
    QCOMPARE(status(request("GET", "/healthz")), 200);  // the early one has been read by now
    service.stands(1, {"127.1.0.1", "127.1.0.1"});
    QCOMPARE(body(answer(*early)), QByteArray(R"(["127.1.0.1","127.1.0.1"])"));
    QCOMPARE(body(request("GET", "/discover/job12345/1")), QByteArray(R"(["127.1.0.1","127.1.0.1"])"));
    QCOMPARE(status(request("GET", "/discover/job12345/0?timeout=0")), 408);
  }

  void aClientMayLeaveBeforeItsAnswer() {
    const auto gone = connected(port);
    gone->write("GET " + url.path().toLatin1() + "/discover/job12345/7 HTTP/1.1\r\n\r\n");
    QVERIFY(gone->waitForBytesWritten(kPatience));
    QCOMPARE(status(request("GET", "/healthz")), 200);
    gone->abort();
    QCOMPARE(status(request("GET", "/healthz")), 200);
    service.stands(7, {"127.1.0.7"});
    QCOMPARE(status(request("GET", "/healthz")), 200);
  }

  void hintsAreTaken() {
    hints.clear();
    QCOMPARE(status(request("PUT", "/hints/job12345", R"({"initBatchSize": 8})")), 200);
    QCOMPARE(status(request("PUT", "/hints/default/job12345", R"({"initBatchSize": 16})")), 200);
    QCOMPARE(hints.size(), std::size_t(2));
    QCOMPARE(hints.at(1).at("initBatchSize").get<int>(), 16);
  }

  void hintsThatMakeNoSenseAreRefused() {
    QCOMPARE(status(request("PUT", "/hints/job12345", "{")), 400);
    const QByteArray refusal = request("PUT", "/hints/job12345", "3");
    QCOMPARE(status(refusal), 400);
    QVERIFY2(body(refusal).contains("expected a JSON object"), refusal);
    const QByteArray deep =
        request("PUT", "/hints/job12345", QByteArray(30000, '[') + QByteArray(30000, ']'));
    QVERIFY2(body(deep).contains("nested deeper"), deep);
    QCOMPARE(status(request("PUT", "/hints/job12345", R"({"initBatchSize": NaN})")), 400);
  }

  void whatIsNotThereIsNotFound_data() {
    testing::rows<QByteArray>(
        "path", {"/", "", "/hints", "/discover", "/discover/job12345", "/discover/a/b/job12345/0",
                 "/hints/other", "/discover/other/0", "/healthz/more", "/../healthz"});
  }
  void whatIsNotThereIsNotFound() {
    QFETCH(QByteArray, path);
    QCOMPARE(status(request("GET", path)), 404);
  }

  void aWrongTokenFindsNothing() {
    const QByteArray wrong = "/" + QByteArray(32, '0');
    for (const QByteArray& path : {QByteArray("/healthz"), wrong + "/healthz", wrong + "/hints/job12345",
                                   url.path().toLatin1().chopped(1) + "/healthz"})
      QCOMPARE(status(exchange(port, "GET " + path + " HTTP/1.1\r\n\r\n")), 404);
  }

  void theBodyOfAStrangerIsNotAwaited() {
    const auto stranger = connected(port);
    stranger->write("PUT /" + QByteArray(32, '0') + "/hints/job12345 HTTP/1.1\r\nContent-Length: 9\r\n\r\n");
    QCOMPARE(status(answer(*stranger)), 404);
  }

  void tokensDiffer() {
    const AdaptdlService other("job12345");
    QVERIFY(QUrl(QString::fromStdString(other.url())).path() != url.path());
  }

  void anotherMethodIsRefused() {
    QCOMPARE(status(request("POST", "/hints/job12345", "{}")), 405);
    QCOMPARE(status(request("PUT", "/healthz")), 405);
    QCOMPARE(status(request("DELETE", "/discover/job12345/0")), 405);
  }

  void nonsenseInAPathIsRefused() {
    QCOMPARE(status(request("GET", "/discover/job12345/zero")), 400);
    QCOMPARE(status(request("GET", "/discover/job12345/-1")), 400);
    QCOMPARE(status(request("GET", "/discover/job12345/9?timeout=soon")), 400);
    QCOMPARE(status(request("GET", "/discover/job12345/9?timeout=99999999999")), 400);
  }

  void aMalformedRequestIsRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("code");
    const auto row = [](const char* name, const QByteArray& text, int code) {
      QTest::newRow(name) << text << code;
    };
    row("no words", "\r\n\r\n", 400);
    row("one word", "GET\r\n\r\n", 400);
    row("not HTTP", "GET / SMTP\r\n\r\n", 400);
    row("HTTP/2", "GET / HTTP/2\r\n\r\n", 505);
    row("no path", "GET example.org HTTP/1.1\r\n\r\n", 400);
    row("an authority", "GET //example.org/healthz HTTP/1.1\r\n\r\n", 400);
    row("bad method", "G(T / HTTP/1.1\r\n\r\n", 400);
    row("bad escape", "GET /%zz HTTP/1.1\r\n\r\n", 400);
    row("no colon", "GET / HTTP/1.1\r\nHost\r\n\r\n", 400);
    row("folded line", "GET / HTTP/1.1\r\nA: b\r\n c: d\r\n\r\n", 400);
    row("chunks", "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501);
    row("length in words", "PUT / HTTP/1.1\r\nContent-Length: two\r\n\r\n", 400);
    row("negative length", "PUT / HTTP/1.1\r\nContent-Length: -2\r\n\r\n", 400);
    row("two lengths", "PUT / HTTP/1.1\r\nContent-Length: 2\r\ncontent-length: 3\r\n\r\n", 400);
    row("long body", "PUT / HTTP/1.1\r\nContent-Length: 65537\r\n\r\n", 413);
    row("endless body", "PUT / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413);
    row("long head", "GET / HTTP/1.1\r\nA: " + QByteArray(9000, 'a') + "\r\n\r\n", 431);
    row("endless head", QByteArray(9000, 'a'), 431);
    row("zeros", QByteArray(100, '\0') + "\r\n\r\n", 400);
  }
  void aMalformedRequestIsRefused() {
    QFETCH(QByteArray, text);
    QFETCH(int, code);
    QCOMPARE(status(exchange(port, text)), code);
  }

  void bytesMayComeOneByOne() {
    HttpRequestReader reader;
    const std::string text = "PUT /a%20b/c?timeout=3 HTTP/1.1\r\ncontent-LENGTH:  2 \r\n\r\n{}";
    std::optional<HttpRequest> request;
    for (const char byte : text) {
      QVERIFY(!request);
      request = reader.feed({&byte, 1});
    }
    QVERIFY(request);
    QCOMPARE(request->path, (std::vector<std::string>{"a b", "c"}));
    QCOMPARE(*request->timeout, std::string("3"));
    QCOMPARE(request->body, std::string("{}"));
  }

  void aClientThatSendsOnGetsItsAnswer() {
    const QByteArray flood(4 << 20, 'x');
    QCOMPARE(status(exchange(port, "PUT / HTTP/1.1\r\nContent-Length: 4194304\r\n\r\n" + flood)), 413);
  }

  void aSlowClientIsSentAway() {
    HttpServer server({4, 100ms});
    const auto slow = connected(server.port());
    slow->write("GET /healthz HT");
    QCOMPARE(status(answer(*slow)), 408);
  }

  void aClientThatNeverReadsIsSentAway() {
    HttpServer server({1, 100ms});
    bool asked = false;
    server.on_request = [&](const HttpRequest&, const HttpServer::Reply& reply) {
      asked = true;
      reply(200, std::string(64u << 20, 'x'));
    };
    const auto deaf = connected(server.port());
    deaf->setReadBufferSize(1);
    deaf->write("GET / HTTP/1.1\r\n\r\n");
    QVERIFY(QTest::qWaitFor([&] { return asked; }, kPatience));
    // There is room for another only when the first is gone.
    server.on_request = [](const HttpRequest&, const HttpServer::Reply& reply) { reply(200, "[]"); };
    QCOMPARE(status(exchange(server.port(), "GET / HTTP/1.1\r\n\r\n")), 200);
  }

  // As another user's, who connects and says nothing, or half of something, to keep the run's replicas out.
  void silentConnectionsGiveWay() {
    HttpServer server({3, 60s});
    server.on_request = [](const HttpRequest&, const HttpServer::Reply& reply) { reply(200, "[]"); };
    std::vector<std::unique_ptr<QTcpSocket>> silent;
    for (int i = 0; i < 3; ++i) {
      silent.push_back(connected(server.port()));
      silent.back()->write(i == 0 ? "" : "GET / HT");
      QVERIFY(silent.back()->waitForConnected(kPatience));
    }
    std::vector<std::unique_ptr<QTcpSocket>> more;
    for (int i = 0; i < 5; ++i) {
      more.push_back(connected(server.port()));
      more.back()->write("GET / HTTP/1.1\r\n\r\n");
      QCOMPARE(status(answer(*more.back())), 200);
    }
    (void)answer(*silent.front());  // the one that was silent longest
    QCOMPARE(silent.front()->state(), QAbstractSocket::UnconnectedState);
  }

  void aRequestWhoseHeadWasTakenKeepsItsPlace() {
    HttpServer server({1, 60s});
    int heads = 0;
    server.on_head = [&](const HttpRequest&) { ++heads; };
    server.on_request = [](const HttpRequest& request, const HttpServer::Reply& reply) {
      reply(200, "[" + request.body + "]");
    };
    const auto slow = connected(server.port());
    slow->write("PUT / HTTP/1.1\r\nContent-Length: 2\r\n\r\n");
    QTRY_COMPARE_WITH_TIMEOUT(heads, 1, kPatience);
    const auto next = connected(server.port());
    next->write("GET / HTTP/1.1\r\n\r\n");
    QTest::qWait(100);
    slow->write("{}");
    QCOMPARE(body(answer(*slow)), QByteArray("[{}]"));
    QCOMPARE(body(answer(*next)), QByteArray("[]"));
  }

  void connectionsThatAreBeingAnsweredKeepTheirPlace() {
    HttpServer server({2, 60s});
    std::vector<HttpServer::Reply> asked;
    server.on_request = [&](const HttpRequest&, const HttpServer::Reply& reply) { asked.push_back(reply); };
    std::vector<std::unique_ptr<QTcpSocket>> clients;
    for (int i = 0; i < 3; ++i) {
      clients.push_back(connected(server.port()));
      clients.back()->write("GET / HTTP/1.1\r\n\r\n");
      if (i < 2) QTRY_COMPARE_WITH_TIMEOUT(asked.size(), static_cast<std::size_t>(i + 1), kPatience);
    }
    QTest::qWait(200);
    QCOMPARE(asked.size(), std::size_t(2));
    asked[0](200, "[]");
    QCOMPARE(status(answer(*clients[0])), 200);
    QTRY_COMPARE_WITH_TIMEOUT(asked.size(), std::size_t(3), kPatience);
    for (const int i : {1, 2}) {
      asked[static_cast<std::size_t>(i)](200, "[]");
      QCOMPARE(status(answer(*clients[static_cast<std::size_t>(i)])), 200);
    }
  }
};

}  // namespace batchscope::run

BATCHSCOPE_TEST(batchscope::run::TestHttp)
#include "test_http.moc"
