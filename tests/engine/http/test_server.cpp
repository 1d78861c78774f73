// SPDX-License-Identifier: Apache-2.0
//
// A server as its clients see it, the good one and every other: over real sockets.
#include "batchscope/http/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QLocalSocket>
#include <QProcess>
#include <QScopeGuard>
#include <QSslSocket>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/unix_address.h"
#include "raw_http.h"
#include "test_case.h"
#include "thrown.h"

namespace batchscope::http {

using namespace std::chrono_literals;
using testing::answer, testing::body, testing::connected, testing::exchange, testing::kPatience,
    testing::status, testing::until;

class TestServer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aClientThatSendsOnGetsItsAnswer() {
    const QByteArray flood(4 << 20, 'x');
    const Server server;
    QCOMPARE(status(exchange(server.port(), "PUT / HTTP/1.1\r\nContent-Length: 4194304\r\n\r\n" + flood)),
             413);
  }

  void aSlowClientIsSentAway() {
    Server server(Address(), {4, 100ms});
    const auto slow = connected(server.port());
    slow->write("GET /healthz HT");
    QCOMPARE(status(answer(*slow)), 408);
  }

  void aClientThatNeverReadsIsSentAway() {
    Server server(Address(), {1, 100ms});
    bool asked = false;
    server.on_request = [&](const Request&, const Reply& reply) {
      asked = true;
      reply({200, std::string(64u << 20, 'x')});
    };
    const auto deaf = connected(server.port());
    deaf->setReadBufferSize(1);
    deaf->write("GET / HTTP/1.1\r\n\r\n");
    QVERIFY(QTest::qWaitFor([&] { return asked; }, kPatience));
    // Another request has room only when the first is gone.
    server.on_request = [](const Request&, const Reply& reply) { reply({200, "[]"}); };
    QCOMPARE(status(exchange(server.port(), "GET / HTTP/1.1\r\n\r\n")), 200);
  }

  // Another user may connect and say nothing, or half of something, to keep the run's replicas out.
  void silentConnectionsGiveWay() {
    Server server(Address(), {3, 60s});
    server.on_request = [](const Request&, const Reply& reply) { reply({200, "[]"}); };
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
    Server server(Address(), {1, 60s});
    int heads = 0;
    server.on_head = [&](const Request&) { ++heads; };
    server.on_request = [](const Request& request, const Reply& reply) {
      reply({200, "[" + request.body + "]"});
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
    Server server(Address(), {2, 60s});
    std::vector<Reply> asked;
    server.on_request = [&](const Request&, const Reply& reply) { asked.push_back(reply); };
    std::vector<std::unique_ptr<QTcpSocket>> clients;
    for (int i = 0; i < 3; ++i) {
      clients.push_back(connected(server.port()));
      clients.back()->write("GET / HTTP/1.1\r\n\r\n");
      if (i < 2) QTRY_COMPARE_WITH_TIMEOUT(asked.size(), static_cast<std::size_t>(i + 1), kPatience);
    }
    QTest::qWait(200);
    QCOMPARE(asked.size(), std::size_t(2));
    asked[0]({200, "[]"});
    QCOMPARE(status(answer(*clients[0])), 200);
    QTRY_COMPARE_WITH_TIMEOUT(asked.size(), std::size_t(3), kPatience);
    for (const int i : {1, 2}) {
      asked[static_cast<std::size_t>(i)]({200, "[]"});
      QCOMPARE(status(answer(*clients[static_cast<std::size_t>(i)])), 200);
    }
  }

  void streamsGoOnUntilTheClientLeaves() {
    Server server(Address(), {4, 60s, 2});
    std::vector<Stream> streams;
    int closed = 0;
    server.on_request = [&](const Request&, const Reply& reply) {
      streams.push_back(reply.stream({200, "", "text/event-stream"}, [&] { ++closed; }));
    };
    const auto client = connected(server.port());
    client->write("GET / HTTP/1.1\r\n\r\n");
    QTRY_COMPARE_WITH_TIMEOUT(streams.size(), std::size_t(1), kPatience);
    QVERIFY(streams[0].send("data: 1\n\n"));
    const QByteArray head = until(*client, "data: 1\n\n");
    QVERIFY2(head.contains("Content-Type: text/event-stream") && !head.contains("Content-Length"), head);
    client->abort();
    QTRY_COMPARE_WITH_TIMEOUT(closed, 1, kPatience);
    QVERIFY(!streams[0].open() && !streams[0].send("data: 2\n\n"));
  }

  void aStreamIsEnded() {
    Server server(Address(), {4, 60s, 2});
    int closed = 0;
    server.on_request = [&](const Request&, const Reply& reply) {
      const Stream stream = reply.stream({200, "", "text/event-stream"}, [&] { ++closed; });
      stream.send("last");
      stream.close();
    };
    QCOMPARE(body(exchange(server.port(), "GET / HTTP/1.1\r\n\r\n")), QByteArray("last"));
    QCOMPARE(closed, 0);
  }

  // However much it is, no more than a piece waits in memory.
  void aLongAnswerIsMadeAsItIsTaken() {
    constexpr int kPieces = 20;
    const std::string piece(1u << 18, 'x');
    Server server(Address(), {4, 60s, 2, 1u << 19});
    int sent = 0;
    std::function<void()> next;
    server.on_request = [&](const Request&, const Reply& reply) {
      next = [&, stream = reply.stream({200, "", "text/plain"}, [] {})] {
        if (sent == kPieces) return stream.close();
        if (stream.send(piece)) ++sent;
        stream.when_taken(next);
      };
      next();
    };
    QCOMPARE(body(exchange(server.port(), "GET / HTTP/1.1\r\n\r\n")).size(),
             static_cast<qsizetype>(kPieces * piece.size()));
  }

  void aStreamThatIsBrokenOffDoesNotLookWhole() {
    Server server(Address(), {4, 60s, 2});
    std::optional<Stream> stream;
    server.on_request = [&](const Request&, const Reply& reply) {
      stream = reply.stream({200, "", "text/plain"}, [] {});
      stream->send("half");
      stream->when_taken([&] { stream->abort(); });
    };
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto close_it = qScopeGuard([&] { ::close(client); });
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    QCOMPARE(::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    constexpr std::string_view kAsked = "GET / HTTP/1.1\r\n\r\n";
    QCOMPARE(::send(client, kAsked.data(), kAsked.size(), 0), static_cast<ssize_t>(kAsked.size()));
    QTRY_VERIFY_WITH_TIMEOUT(stream && !stream->open(), kPatience);
    char bytes[4096];
    ssize_t count;
    while ((count = ::recv(client, bytes, sizeof bytes, 0)) > 0) {
    }
    QCOMPARE(count, ssize_t(-1));
    QCOMPARE(errno, ECONNRESET);
  }

  // They keep nobody from short requests, and these not them.
  void streamsHavePlacesOfTheirOwn() {
    Server server(Address(), {1, 60s, 2});
    server.on_request = [](const Request& request, const Reply& reply) {
      if (request.target == "/stream")
        reply.stream({200, "", "text/event-stream"}, [] {}).send("begun");
      else
        reply({200, "[]"});
    };
    std::vector<std::unique_ptr<QTcpSocket>> pages;
    for (int i = 0; i < 2; ++i) {
      pages.push_back(connected(server.port()));
      pages.back()->write("GET /stream HTTP/1.1\r\n\r\n");
      QVERIFY(until(*pages.back(), "begun").contains("begun"));
    }
    QCOMPARE(status(exchange(server.port(), "GET /stream HTTP/1.1\r\n\r\n")), 503);
    QCOMPARE(status(exchange(server.port(), "GET /short HTTP/1.1\r\n\r\n")), 200);
    QCOMPARE(pages[0]->state(), QAbstractSocket::ConnectedState);
    pages.clear();
    QTRY_COMPARE_WITH_TIMEOUT(status(exchange(server.port(), "HEAD /stream HTTP/1.1\r\n\r\n")), 200,
                              kPatience);
  }

  void whoDoesNotReadItsStreamIsSentAway() {
    Server server(Address(), {4, 60s, 2, 1u << 20});
    std::optional<Stream> stream;
    int closed = 0;
    server.on_request = [&](const Request&, const Reply& reply) {
      stream = reply.stream({200, "", "text/event-stream"}, [&] { ++closed; });
    };
    const auto deaf = connected(server.port());
    deaf->setReadBufferSize(1);
    deaf->write("GET / HTTP/1.1\r\n\r\n");
    QTRY_VERIFY_WITH_TIMEOUT(stream.has_value(), kPatience);
    const std::string block(1u << 19, 'x');
    for (int i = 0; i < 1000 && stream->send(block); ++i) QTest::qWait(1);
    QVERIFY(!stream->open());
    QTRY_COMPARE_WITH_TIMEOUT(closed, 1, kPatience);
  }

  // Two hundred read a stream, and half of them stop: those go, long before their backlog is full, and the
  // others have every byte.
  void whoTakesNothingOfItsStreamIsLetGo() {
    constexpr std::size_t kReaders = 200, kBlocks = 200;
    const std::string block(4096, 'x');
    Server server(Address(), {kReaders, 2s, kReaders});
    std::vector<Stream> streams;
    std::size_t closed = 0;
    server.on_request = [&](const Request&, const Reply& reply) {
      streams.push_back(reply.stream({200, "", "text/event-stream"}, [&] { ++closed; }));
    };
    std::vector<std::unique_ptr<QTcpSocket>> readers;
    std::vector<QByteArray> taken(kReaders);
    const auto listens = [](std::size_t reader) { return reader % 2 == 0; };
    for (std::size_t reader = 0; reader < kReaders; ++reader) {
      QTcpSocket& socket = *readers.emplace_back(connected(server.port()));
      if (listens(reader))
        connect(&socket, &QTcpSocket::readyRead, this,
                [&socket, &all = taken[reader]] { all += socket.readAll(); });
      else
        socket.setReadBufferSize(1);
      socket.write("GET / HTTP/1.1\r\n\r\n");
    }
    QTRY_COMPARE_WITH_TIMEOUT(streams.size(), kReaders, kPatience);
    for (std::size_t i = 0; i < kBlocks; ++i) {
      for (const Stream& stream : streams) stream.send(block);
      QCoreApplication::processEvents();
    }
    QTRY_COMPARE_WITH_TIMEOUT(closed, kReaders / 2, kPatience);
    for (std::size_t reader = 0; reader < kReaders; ++reader)
      if (listens(reader))
        QTRY_COMPARE_WITH_TIMEOUT(static_cast<std::size_t>(body(taken[reader]).size()),
                                  kBlocks * block.size(), kPatience);
    QCOMPARE(std::count_if(streams.begin(), streams.end(), [](const Stream& each) { return each.open(); }),
             static_cast<std::ptrdiff_t>(kReaders / 2));
    // A client with nothing to take stays, however long that is.
    QTest::qWait(2500);
    QCOMPARE(closed, kReaders / 2);
  }

  void anAnswerIsWhatItIs() {
    Server server;
    server.fields = {{"A", "1"}};
    server.on_request = [](const Request& request, const Reply& reply) {
      if (request.target == "/fault") throw Fault{409, "it is busy"};
      if (request.target == "/page") throw Fault{401, "who?", "<p>who?</p>"};
      reply({404, "{}", "text/plain", {{"B", "2"}}});
      reply({200, "another"});
      QVERIFY(!reply.stream({200, "", "text/plain"}, [] {}).open());
    };
    const auto got = [&](const char* path) {
      return exchange(server.port(), QByteArray("GET ") + path + " HTTP/1.1\r\n\r\n");
    };
    QCOMPARE(got("/"),
             QByteArray("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n"
                        "A: 1\r\nB: 2\r\nConnection: close\r\n\r\n{}"));
    QCOMPARE(got("/fault"),
             QByteArray("HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\nContent-Length: 22\r\n"
                        "A: 1\r\nConnection: close\r\n\r\n{\"error\":\"it is busy\"}"));
    QCOMPARE(got("/page"),
             QByteArray("HTTP/1.1 401 Unauthorized\r\nContent-Type: text/html; charset=utf-8\r\n"
                        "Content-Length: 11\r\nA: 1\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
                        "<p>who?</p>"));
    QCOMPARE(error_response(400, "no \xff").body, std::string("{\"error\":\"no \uFFFD\"}"));
  }

  // As many bytes may wait as were said, and not one more.
  void theBacklogHasABound() {
    Server server(Address(), {4, 60s, 4, 1000});
    std::vector<Stream> streams;
    server.on_request = [&](const Request&, const Reply& reply) {
      streams.push_back(reply.stream({200, "", "text/plain"}, [] {}));
    };
    std::vector<std::unique_ptr<QTcpSocket>> clients;
    for (const std::size_t size : {1000u, 1001u}) {
      clients.push_back(connected(server.port()));
      clients.back()->write("GET / HTTP/1.1\r\n\r\n");
      QVERIFY(until(*clients.back(), "\r\n\r\n").endsWith("\r\n\r\n"));
      QCOMPARE(streams.back().send(std::string(size, 'x')), size == 1000);
      QCOMPARE(streams.back().open(), size == 1000);
    }
  }

  void aHeadIsAllThatIsSentOfIt() {
    Server server;
    server.on_request = [](const Request&, const Reply& reply) { reply({200, "[1]"}); };
    const QByteArray head = exchange(server.port(), "HEAD / HTTP/1.1\r\n\r\n");
    QVERIFY2(head.contains("Content-Length: 3\r\n"), head);
    QCOMPARE(body(head), QByteArray());
  }

  void whatEveryAnswerHasIsInRefusalsToo() {
    Server server;
    server.fields = {{"X-Content-Type-Options", "nosniff"}};
    for (const char* request : {"GET / HTTP/1.1\r\nHost\r\n\r\n", "GET / HTTP/2\r\n\r\n"})
      QVERIFY(exchange(server.port(), request).contains("\r\nX-Content-Type-Options: nosniff\r\n"));
  }

  void aThousandStrangersKeepNobodyOut() {
    rlimit files{};
    QCOMPARE(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
    QCOMPARE(setrlimit(RLIMIT_NOFILE, &files), 0);
    Server server;
    server.on_request = [](const Request&, const Reply& reply) { reply({200, "[]"}); };
    std::vector<std::unique_ptr<QTcpSocket>> strangers;
    for (int i = 0; i < 1000; ++i) {
      strangers.push_back(connected(server.port()));
      if (i % 2 == 0) strangers.back()->write("GET / HTTP/1.1\r\nX: ");
      if (i % 50 == 0) QCOMPARE(status(exchange(server.port(), "GET / HTTP/1.1\r\n\r\n")), 200);
    }
    QCOMPARE(status(exchange(server.port(), "GET / HTTP/1.1\r\n\r\n")), 200);
  }

  void aPortThatIsTakenIsSaid() {
    const Server server;
    const Address same{"127.0.0.1", server.port()};
    VERIFY_THROWS("conflict", "port " + std::to_string(same.port) + ": give another port",
                  Server(same, Limits()));
    VERIFY_THROWS("usage", "give a number", Server(Address{"localhost"}, Limits()));
  }

  void aUnixSocketIsItsOwnersAlone() {
    const QTemporaryDir home;
    const std::filesystem::path socket = std::filesystem::path(home.path().toStdString()) / "mine/web.sock";
    {
      Server server({.socket = socket}, Limits());
      server.on_request = [](const Request&, const Reply& reply) { reply({200, "[]"}); };
      using std::filesystem::perms;
      QCOMPARE(server.port(), std::uint16_t(0));
      QCOMPARE(std::filesystem::status(socket).permissions(), perms::owner_read | perms::owner_write);
      QCOMPARE(std::filesystem::status(socket.parent_path()).permissions(), perms::owner_all);
      QLocalSocket client;
      client.connectToServer(QString::fromStdString(socket));
      client.write("GET / HTTP/1.1\r\n\r\n");
      QTRY_COMPARE_WITH_TIMEOUT(client.state(), QLocalSocket::UnconnectedState, kPatience);
      QCOMPARE(status(client.readAll()), 200);
      VERIFY_THROWS("conflict", "web.sock", Server({.socket = socket}, Limits()));
    }
    QVERIFY(!std::filesystem::exists(socket));
  }

  void whatADeadServerLeftBehindIsTakenOver() {
    const QTemporaryDir home;  // 0700
    const std::filesystem::path socket = std::filesystem::path(home.path().toStdString()) / "web.sock";
    const sockaddr_un address = protocol::unix_address(socket);
    const int dead = ::socket(AF_UNIX, SOCK_STREAM, 0);
    QCOMPARE(::bind(dead, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(dead);
    const Server server({.socket = socket}, Limits());
  }

  void aFolderThatOthersCanEnterIsRefused() {
    const QTemporaryDir home;
    QVERIFY(QFile::setPermissions(home.path(), QFile::Permissions(0x7755)));
    const std::filesystem::path socket = std::filesystem::path(home.path().toStdString()) / "web.sock";
    VERIFY_THROWS("usage", "open to other users", Server({.socket = socket}, Limits()));
  }

  void tlsIsSpoken() {
    if (QStandardPaths::findExecutable("openssl").isEmpty())
      QSKIP("there is no openssl to make a certificate");
    const QTemporaryDir home;
    const QString certificate = home.filePath("web.pem"), key = home.filePath("web.key");
    QCOMPARE(QProcess::execute("openssl", {"req", "-x509", "-newkey", "ec", "-pkeyopt",
                                           "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                                           "/CN=test", "-keyout", key, "-out", certificate}),
             0);
    Address address;
    address.certificate = certificate.toStdString();
    address.key = key.toStdString();
    Server server(address, {4, 60s, 2});
    server.on_request = [](const Request&, const Reply& reply) { reply({200, std::string(1u << 20, 'x')}); };
    QSslSocket client;
    client.setPeerVerifyMode(QSslSocket::VerifyNone);
    client.connectToHostEncrypted("127.0.0.1", server.port());
    QTRY_VERIFY_WITH_TIMEOUT(client.isEncrypted(), kPatience);
    client.write("GET / HTTP/1.1\r\n\r\n");
    QCOMPARE(body(answer(client)).size(), 1 << 20);
    QVERIFY(!exchange(server.port(), "GET / HTTP/1.1\r\n\r\n").startsWith("HTTP"));  // who speaks none

    address.key = address.certificate;
    VERIFY_THROWS("usage", "no private key", Server(address, Limits()));
    address.certificate = "/nowhere";
    VERIFY_THROWS("io", "/nowhere", Server(address, Limits()));
  }
};

}  // namespace batchscope::http

BATCHSCOPE_TEST(batchscope::http::TestServer)
#include "test_server.moc"
