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
    row("a blank in the path", "GET /a b HTTP/1.1\r\n\r\n", 400);
    row("no method", " / HTTP/1.1\r\n\r\n", 400);
    row("HTTP/1.2", "GET / HTTP/1.2\r\n\r\n", 505);
    row("a blank in a name", "GET / HTTP/1.1\r\nA B: c\r\n\r\n", 400);
    row("no name", "GET / HTTP/1.1\r\n: c\r\n\r\n", 400);
    row("DEL in a name", "GET / HTTP/1.1\r\nA\x7f: c\r\n\r\n", 400);
    row("no length", "PUT / HTTP/1.1\r\nContent-Length: \r\n\r\n", 400);
    row("length and more", "PUT / HTTP/1.1\r\nContent-Length: 2 3\r\n\r\n", 400);
    row("length with a sign", "PUT / HTTP/1.1\r\nContent-Length: +2\r\n\r\n", 400);
    for (const char separator : QByteArray("\"(),/;<=>?@[\\]{}"))
      QTest::addRow("%c in a name", separator)
          << QByteArray("GET / HTTP/1.1\r\nA") + separator + ": c\r\n\r\n"
          << 400;
  }
  void aMalformedRequestIsRefused() {
    QFETCH(QByteArray, text);
    QFETCH(int, code);
    QCOMPARE(refusal(text), code);
  }

  // The longest head and body, and one byte more; whether or not their ends are there.
  void boundsBelongToTheirRanges() {
    const auto head = [](qsizetype length) {
      const QByteArray begin = "GET / HTTP/1.1\r\nA: ";
      return begin + QByteArray(length - begin.size(), 'a');
    };
    for (const char* end : {"", "\r\n\r\n"}) {
      QCOMPARE(refusal(head(8192) + end), 0);
      QCOMPARE(refusal(head(8193) + end), 431);
    }
    const QByteArray longest = "PUT / HTTP/1.1\r\nContent-Length: 65536\r\n\r\n";
    QCOMPARE(refusal(longest), 0);
    QCOMPARE(parsed((longest + QByteArray(65536, 'b')).toStdString()).body.size(), std::size_t{65536});
    QVERIFY(!RequestReader().feed((longest + QByteArray(65535, 'b')).toStdString()));
  }

  void whatIsJustAllowed() {
    QCOMPARE(parsed("GET / HTTP/1.0\r\n\r\n").method, std::string("GET"));
    const std::string token = "!#$%&'*+-.^_`|~09AZaz";
    const Request request = parsed(token + " /a//b?x=1=2&&y HTTP/1.1\r\n" + token +
                                   ": \t a b \t\r\nEmpty:\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n" +
                                   std::string("a\0b", 3) + "and more");
    QCOMPARE(request.method, token);
    QCOMPARE(request.target, std::string("/a//b?x=1=2&&y"));
    QCOMPARE(request.path, (std::vector<std::string>{"a", "", "b"}));
    QCOMPARE(request.query.size(), std::size_t{2});
    QCOMPARE(request.value("x").value(), std::string("1=2"));
    QCOMPARE(request.value("y").value(), std::string());
    QCOMPARE(std::string(request.field("!#$%&'*+-.^_`|~09azaz")), std::string("a b"));
    QVERIFY(request.fields.contains("empty") && request.field("empty").empty());
    QCOMPARE(request.body, std::string("a\0b", 3));
    QCOMPARE(parsed("GET / HTTP/1.1\r\n\r\n").path, std::vector<std::string>{""});
  }

  // Once, before the body comes, and it may refuse the request.
  void theHeadIsTakenFirst() {
    RequestReader reader;
    int heads = 0;
    reader.on_head = [&](const Request& head) {
      ++heads;
      if (head.target == "/no") throw Fault{403, "no"};
    };
    QVERIFY(!reader.feed("PUT /yes HTTP/1.1\r\nContent-Length: 2\r\n\r\n"));
    QCOMPARE(heads, 1);
    QVERIFY(!reader.feed("a"));
    QCOMPARE(reader.feed("b")->body, std::string("ab"));
    QCOMPARE(heads, 1);
    RequestReader other;
    other.on_head = reader.on_head;
    QVERIFY_EXCEPTION_THROWN(other.feed("PUT /no HTTP/1.1\r\nContent-Length: 2\r\n\r\n"), Fault);
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
