// SPDX-License-Identifier: Apache-2.0
//
// Requests: what is accepted as one, and what is not.
#include "batchscope/http/request.h"
#include "test_case.h"

namespace batchscope::http {

class TestRequest : public QObject {
  Q_OBJECT

  // 0: it is taken, or more is needed.
  static int refusal(const QByteArray& text) {
    try {
      RequestReader reader;
      (void)reader.feed({text.data(), static_cast<std::size_t>(text.size())});
    } catch (const Fault& fault) {
      return fault.status;
    }
    return 0;
  }
  static Request parsed(const std::string& text) { return RequestReader().feed(text).value(); }

 private Q_SLOTS:
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
    row("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400);
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
    QCOMPARE(refusal(text), code);
  }

  void bytesMayComeOneByOne() {
    RequestReader reader;
    const std::string text = "PUT /a%20b/c?timeout=3 HTTP/1.1\r\ncontent-LENGTH:  2 \r\n\r\n{}";
    std::optional<Request> request;
    for (const char byte : text) {
      QVERIFY(!request);
      request = reader.feed({&byte, 1});
    }
    QVERIFY(request);
    QCOMPARE(request->path, (std::vector<std::string>{"a b", "c"}));
    QCOMPARE(request->value("timeout").value_or(""), std::string("3"));
    QCOMPARE(request->body, std::string("{}"));
  }

  void aQueryIsDecoded() {
    const Request request = parsed("GET /?where=a%3E1+and+b&empty&a=1&a=2&%C3%A9=%2B HTTP/1.1\r\n\r\n");
    QCOMPARE(request.value("where").value(), std::string("a>1 and b"));
    QCOMPARE(request.value("empty").value(), std::string());
    QCOMPARE(request.value("a").value(), std::string("1"));
    QCOMPARE(request.value("é").value(), std::string("+"));
    QVERIFY(!request.value("none"));
  }

  void fieldsAreFoundByTheirNames() {
    const Request request =
        parsed("GET / HTTP/1.1\r\nHOST: localhost:1\r\nCookie: a=1\r\ncookie:b=2\r\nX: 1\r\nx: 2\r\n\r\n");
    QCOMPARE(std::string(request.field("host")), std::string("localhost:1"));
    QCOMPARE(std::string(request.field("cookie")), std::string("a=1; b=2"));
    QCOMPARE(std::string(request.field("x")), std::string("1, 2"));
    QVERIFY(request.field("origin").empty());
  }
};

}  // namespace batchscope::http

BATCHSCOPE_TEST(batchscope::http::TestRequest)
#include "test_request.moc"
