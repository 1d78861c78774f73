// SPDX-License-Identifier: Apache-2.0
//
// AdaptDL's endpoints as a client sees them, the good one and every other: over real sockets.
#include <QUrl>

#include "adaptdl/adaptdl_service.h"
#include "batchscope/protocol/error.h"
#include "engine/http/raw_http.h"
#include "rows.h"
#include "test_case.h"

namespace batchscope::run {
using testing::answer, testing::body, testing::connected, testing::exchange, testing::kPatience,
    testing::status;

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

  void aFaultThatIsNotTheClientsIsTold() {
    const auto back = std::exchange(service.on_hints, [](const protocol::Json& json) {
      throw Error(json.contains("busy") ? ErrorKind::conflict : ErrorKind::io, "of the supervisor");
    });
    for (const auto& [content, expected] : {std::pair(R"({"busy": 1})", 409), std::pair("{}", 500)}) {
      const QByteArray refusal = request("PUT", "/hints/job12345", content);
      QCOMPARE(status(refusal), expected);
      QVERIFY2(body(refusal).contains("of the supervisor"), refusal);
    }
    service.on_hints = back;
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
    QCOMPARE(status(request("GET", "/discover/job12345/9x")), 400);
    QCOMPARE(status(request("GET", "/discover/job12345/1073741825")), 400);
    QCOMPARE(status(request("GET", "/discover/job12345/9?timeout=soon")), 400);
    QCOMPARE(status(request("GET", "/discover/job12345/9?timeout=99999999999")), 400);
    QCOMPARE(status(request("GET", "/discover/job12345/9?timeout=301")), 400);
    service.stands(1 << 30, {"127.1.0.9"});
    QCOMPARE(status(request("GET", "/discover/job12345/1073741824?timeout=300")), 200);
  }
};

}  // namespace batchscope::run

BATCHSCOPE_TEST(batchscope::run::TestHttp)
#include "test_http.moc"
