// SPDX-License-Identifier: Apache-2.0
//
// The server under attack, over real sockets (app/web/server/THREATS.md).
#include <sys/resource.h>

#include "rows.h"
#include "web_fixture.h"

namespace batchscope::web {

class TestAttacks : public WebTest {
  Q_OBJECT

  QByteArray host() const { return "Host: localhost:" + QByteArray::number(server->port()) + "\r\n"; }
  QByteArray cookie() const {
    return "Cookie: batchscope-session-" + QByteArray::number(server->port()) + "=" +
           QByteArray::fromStdString(server->token()) + "\r\n";
  }
  std::string run;

 private Q_SLOTS:
  void init() {
    newStore();
    run = make_run("one", 4);
    testing::write_file(path("secret.txt"), "secret");
    serve();
  }

  void withoutTheTokenThereIsNothing_data() {
    testing::rows<QByteArray>("target", {"/", "/page.js", "/index.html", "/run/x", "/api/about", "/api/runs",
                                         "/api/none", "/none", "/api/changes", "/api/stream?runs=x",
                                         "/metrics", "/?token=0123456789abcdef0123456789abcdef"});
  }
  void withoutTheTokenThereIsNothing() {
    QFETCH(QByteArray, target);
    const Answer answer = send("GET " + target + " HTTP/1.1\r\n" + host() + "\r\n");
    QCOMPARE(answer.status, 401);
    QVERIFY(!answer.all.contains(QByteArray::fromStdString(server->token())) &&
            !answer.all.contains("<title>"));
    QCOMPARE(send("POST " + target + " HTTP/1.1\r\n" + host() + "Content-Length: 0\r\n\r\n").status, 401);
  }

  // In a browser a person reads what to do, and no more of the server than that.
  void aPersonWithoutTheTokenIsToldWhatToDo() {
    const QByteArray person = host() + "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n\r\n";
    const std::pair<const char*, const char*> kPages[] = {
        {"/", "<h1>The token is missing</h1>"},
        {"/run/x", "<h1>The token is missing</h1>"},
        {"/?token=0123456789abcdef0123456789abcdef&x=%3Cscript%3E", "<h1>The token no longer counts</h1>"}};
    for (const auto& [target, heading] : kPages) {
      const Answer answer = send("GET " + QByteArray(target) + " HTTP/1.1\r\n" + person);
      QCOMPARE(answer.status, 401);
      QVERIFY(answer.all.contains("Content-Type: text/html"));
      QVERIFY(answer.all.contains("Content-Security-Policy: default-src 'none'"));
      QVERIFY(answer.all.contains(heading));
      for (const std::string& secret : {server->token(), std::string("script"), home->path().toStdString()})
        QVERIFY(!testing::body(answer.all).contains(QByteArray::fromStdString(secret)));
    }
    QVERIFY(send("GET /api/runs HTTP/1.1\r\n" + person).json.contains("error"));
    QVERIFY(send("POST / HTTP/1.1\r\n" + person).json.contains("error"));
  }

  void theBodyOfAStrangerIsNotAwaited() {
    const auto stranger = testing::connected(server->port());
    stranger->write("POST /api/runs/" + QByteArray::fromStdString(run) + "/control HTTP/1.1\r\n" + host() +
                    "Content-Length: 60000\r\n\r\n");
    QCOMPARE(testing::status(testing::answer(*stranger)), 401);
  }

  // A form of another site's page, with the cookie that a browser might send along.
  void anotherSitesFormChangesNothing() {
    const QByteArray body = R"({"command":"stop","x":"="})";
    const auto form = [&](const QByteArray& fields) {
      return send("POST /api/runs/" + QByteArray::fromStdString(run) + "/control HTTP/1.1\r\n" + host() +
                  cookie() + fields + "Content-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" +
                  body)
          .status;
    };
    const QByteArray json = "Content-Type: application/json\r\n";
    QCOMPARE(form("Origin: http://evil.example\r\nSec-Fetch-Site: cross-site\r\n" + json), 403);
    QCOMPARE(form("Origin: null\r\n" + json), 403);
    QCOMPARE(form("Sec-Fetch-Site: cross-site\r\n" + json), 403);
    QCOMPARE(form("Origin: http://localhost:1\r\n" + json), 403);
    QCOMPARE(form("Content-Type: text/plain\r\n"), 415);
    QCOMPARE(form("Content-Type: application/x-www-form-urlencoded\r\n"), 415);
    QCOMPARE(form(""), 415);
    QCOMPARE(form(json), 409);  // nobody stands in the way of the page's own: the run has finished
  }

  void aReboundNameIsRefused() {
    for (const QByteArray& name : {QByteArray("Host: evil.example:8471\r\n"), QByteArray(),
                                   QByteArray("Host:\r\n"), QByteArray("Host: 127.0.0.1.evil.example\r\n")}) {
      const Answer answer = send("GET /api/runs HTTP/1.1\r\n" + name + key() + "\r\n\r\n");
      QCOMPARE(answer.status, 421);
      QVERIFY(!answer.all.contains("\"name\""));
    }
    QCOMPARE(
        send("GET /api/runs HTTP/1.1\r\n" + host() + "Host: evil.example\r\n" + key() + "\r\n\r\n").status,
        400);
  }

  void noPathLeadsElsewhere_data() {
    testing::rows<QByteArray>(
        "target", {"/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/%2e%2e%2fsecret.txt",
                   "/page/../../secret.txt", "/page.js/../../secret.txt", "/./page.js", "/secret.txt",
                   "/runs.db", "/serve.token", "/api/runs/../secret.txt", "/api/runs/..%2fsecret.txt/samples",
                   "/api/runs/%2e%2e/log", "/api/sweeps/..%2f..%2fsecret.txt", "/page.js%00.html",
                   "/..%5csecret.txt", "/api/runs//etc/passwd"});
  }
  void noPathLeadsElsewhere() {
    QFETCH(QByteArray, target);
    const Answer answer = get(target.toStdString());
    QCOMPARE(answer.status, 404);
    QVERIFY(!answer.all.contains("secret\r") && !answer.all.endsWith("secret") &&
            !answer.all.contains(QByteArray::fromStdString(server->token())));
  }

  void giantRequestsAreRefused() {
    const QByteArray big(9000, 'x');
    QCOMPARE(send("GET /" + big + " HTTP/1.1\r\n" + host() + key() + "\r\n\r\n").status, 431);
    QCOMPARE(send("GET / HTTP/1.1\r\n" + host() + key() + "\r\nX: " + big + "\r\n\r\n").status, 431);
    QCOMPARE(send(head("POST", "/api/runs/" + run + "/control") +
                  "Content-Type: application/json\r\nContent-Length: 65537\r\n\r\n")
                 .status,
             413);
    QCOMPARE(send(head("POST", "/api/runs/" + run + "/control") +
                  "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
                 .status,
             501);
    const QByteArray deep = QByteArray(30'000, '[') + QByteArray(30'000, ']');
    QCOMPARE(post("/api/runs/" + run + "/control", R"({"command":)" + deep + "}").status, 400);
    QCOMPARE(get("/api/runs?where=" + std::string(5000, 'a')).status, 400);
    std::string series;
    for (int i = 0; i < 100; ++i) series += "s" + std::to_string(i) + ",";
    QCOMPARE(get("/api/runs/" + run + "/samples?series=" + series).status, 400);
  }

  void aThousandStrangersKeepNobodyOut() {
    rlimit files{};
    QCOMPARE(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
    QCOMPARE(setrlimit(RLIMIT_NOFILE, &files), 0);
    const auto page = testing::connected(server->port());
    page->write(head("GET", "/api/runs/" + run + "/stream") + "\r\n");
    QVERIFY(testing::until(*page, "event: status").contains("event: status"));
    std::vector<std::unique_ptr<QTcpSocket>> strangers;
    for (int i = 0; i < 1000; ++i) {
      strangers.push_back(testing::connected(server->port()));
      if (i % 3 == 1) strangers.back()->write("GET / HTTP/1.1\r\nX: ");
      if (i % 3 == 2) strangers.back()->write("GET /api/changes HTTP/1.1\r\n" + host() + "\r\n");
      if (i % 100 == 0) QCOMPARE(get("/api/runs").status, 200);
    }
    QCOMPARE(get("/api/runs").status, 200);
    QCOMPARE(page->state(), QAbstractSocket::ConnectedState);
    storage::SampleWriter writer(protocol::run_paths(run).samples);
    append(writer, 1, 5);
    writer.commit();
    QVERIFY(testing::until(*page, "event: samples").contains("event: samples"));
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestAttacks)
#include "test_attacks.moc"
