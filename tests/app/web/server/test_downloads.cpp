// SPDX-License-Identifier: Apache-2.0
//
// Files of a run that a client keeps. A script of the shell stands in for `batchscope export`.
#include <signal.h>

#include <QFile>
#include <algorithm>
#include <memory>
#include <sstream>

#include "batchscope/web/tokens.h"
#include "thrown.h"
#include "web_fixture.h"

namespace batchscope::web {

using testing::answer, testing::body, testing::connected, testing::until;

class TestDownloads : public WebTest {
  Q_OBJECT

  std::string id;

  // Serves with a program that is this script in the place of `batchscope`.
  void serveBy(const std::string& script) {
    stand_in("batchscope");
    testing::write_file(path("bin/batchscope"), "#!/bin/sh\n" + script);
    serve({.program = path("bin/batchscope")});
  }
  std::string record() const { return "/api/runs/" + id + "/record"; }
  QByteArray request(const std::string& target) const { return head("GET", target) + "\r\n"; }
  static std::string error(const Answer& answer) { return answer.json.value("error", ""); }
  void print(int generation, int rank, const std::string& bytes) const {
    protocol::make_run_directories(protocol::run_paths(id));
    testing::write_file(protocol::run_paths(id).log_file(generation, rank).string(), bytes);
  }
  int statusFor(const QByteArray& secret, const std::string& target) const {
    return send("GET " + QByteArray::fromStdString(target) + " HTTP/1.1\r\nHost: localhost:" +
                QByteArray::number(server->port()) + "\r\nAuthorization: Bearer " + secret + "\r\n\r\n")
        .status;
  }

 private Q_SLOTS:
  void init() {
    newStore();
    id = make_run("my \"run\"", 4);
  }

  void theRecordIsWhatTheCommandLineExports() {
    serveBy("echo \"$@\"");
    for (const std::string format : {"jsonl", "csv", "json", "html"}) {
      const Answer sent = get(record() + "?format=" + format);
      QCOMPARE(sent.status, 200);
      QCOMPARE(body(sent.all).toStdString(), "export " + id + " --format " + format + " --output -\n");
      QVERIFY2(sent.all.contains("attachment; filename=\"my--run--" + QByteArray::fromStdString(id) + "." +
                                 QByteArray::fromStdString(format) + "\"\r\n"),
               sent.all);
      QVERIFY(sent.all.contains("X-Content-Type-Options: nosniff"));
    }
    QCOMPARE(body(get(record()).all), body(get(record() + "?format=jsonl").all));
  }

  void aLongRecordComesWhole() {
    serveBy("head -c 6000000 /dev/zero");
    QCOMPARE(body(get(record()).all).size(), qsizetype(6'000'000));
  }

  void anExportThatFailsIsSaid() {
    serveBy("exit 3");
    const Answer failed = get(record());
    QCOMPARE(failed.status, 500);
    VERIFY_HOLDS(error(failed), "`batchscope export` has failed");
  }

  void whatCannotBeSentIsRefused() {
    serveBy("echo");
    const Answer format = get(record() + "?format=sqlite");
    QCOMPARE(format.status, 400);
    VERIFY_HOLDS(error(format), "jsonl, csv, json, html");
    QCOMPARE(get(record() + "?format=../x").status, 400);
    QCOMPARE(get("/api/runs/aaaaaaaa/record").status, 404);
    QCOMPARE(get("/api/runs/..%2f../record").status, 404);
    QCOMPARE(post(record(), "{}").status, 405);
    storage::Catalogue(protocol::catalogue_path()).move_to_trash(id);
    QCOMPARE(get(record()).status, 404);
    QCOMPARE(get("/api/runs/" + id + "/log.txt").status, 404);
  }

  void aProgramThatNobodyReadsFromEndsWithItsClient() {
    serveBy("echo $$ > '" + path("pid") + "'\nexec yes");
    auto client = connected(server->port());
    client->setReadBufferSize(1);
    client->write(request(record()));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("pid").c_str()), testing::kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(client->bytesAvailable() > 0, testing::kPatience);
    const pid_t pid = static_cast<pid_t>(std::stol(testing::contents(path("pid"))));
    QCOMPARE(::kill(pid, 0), 0);
    client.reset();
    QTRY_VERIFY_WITH_TIMEOUT(::kill(pid, 0) != 0, testing::kPatience);
  }

  void fourAreSentAtOnceAndEndWithTheServer() {
    serveBy("echo $$ >> '" + path("pids") + "'\nexec sleep 1000");
    std::vector<std::unique_ptr<QTcpSocket>> clients;
    for (int i = 0; i < 4; ++i) {
      clients.push_back(connected(server->port()));
      clients.back()->write(request(record()));
    }
    QTRY_COMPARE_WITH_TIMEOUT(
        [&] {
          const std::string pids = testing::contents(path("pids"));
          return std::count(pids.begin(), pids.end(), '\n');
        }(),
        std::ptrdiff_t(4), testing::kPatience);
    const Answer fifth = get(record());
    QCOMPARE(fifth.status, 503);
    VERIFY_HOLDS(error(fifth), "try again");
    server.reset();
    std::istringstream pids(testing::contents(path("pids")));
    for (pid_t pid; pids >> pid;) QVERIFY(::kill(pid, 0) != 0);
  }

  void aLogIsSentAsItIs() {
    serveBy("echo");
    const std::string bytes = std::string("first\n\xff\0<script>\r50 %\r", 24) + std::string(1'000'000, 'x');
    print(0, 1, bytes);
    const Answer sent = get("/api/runs/" + id + "/log.txt?generation=0&rank=1");
    QCOMPARE(sent.status, 200);
    QVERIFY(body(sent.all).toStdString() == bytes);
    QVERIFY(sent.all.contains("Content-Type: text/plain; charset=utf-8\r\n"));
    QVERIFY(sent.all.contains("Content-Length: " + QByteArray::number(qsizetype(bytes.size())) + "\r\n"));
    QVERIFY2(sent.all.contains("-generation-0-replica-1.txt\"\r\n"), sent.all.left(800));
    print(1, 0, "");
    const Answer newest = get("/api/runs/" + id + "/log.txt");
    QVERIFY(newest.status == 200 && newest.all.contains("-generation-1-replica-0.txt") &&
            body(newest.all).isEmpty());
  }

  void noOtherFileIsSent() {
    serveBy("echo");
    QCOMPARE(get("/api/runs/" + id + "/log.txt").status, 404);
    print(0, 0, "mine");
    for (const char* query : {"rank=7", "generation=3"})
      QCOMPARE(get("/api/runs/" + id + "/log.txt?" + query).status, 404);
    for (const char* query : {"rank=..%2f..%2fserve.token", "rank=-1", "generation=x"})
      QCOMPARE(get("/api/runs/" + id + "/log.txt?" + query).status, 400);
    const auto log = protocol::run_paths(id).log_file(0, 0);
    std::filesystem::remove(log);
    std::filesystem::create_symlink(path("page/index.html"), log);
    QVERIFY(body(get("/api/runs/" + id + "/log.txt").all).isEmpty());
  }

  void whoMayLookGetsThemAndNobodyElse() {
    serveBy("echo whole");
    const std::string other = make_run("other", 4);
    print(0, 0, "mine");
    const QByteArray reader = QByteArray::fromStdString(give_token("anna").secret);
    const QByteArray revoked = QByteArray::fromStdString(give_token("ben").secret);
    const QByteArray link = QByteArray::fromStdString(give_link(id, 3600).secret);
    revoke_token("ben");
    for (const std::string& target : {record(), "/api/runs/" + id + "/log.txt"}) {
      QCOMPARE(statusFor(reader, target), 200);
      QCOMPARE(statusFor(link, target), 200);
      QCOMPARE(statusFor(revoked, target), 401);
      QCOMPARE(statusFor("", target), 401);
    }
    QCOMPARE(statusFor(link, "/api/runs/" + other + "/record"), 403);
    const QByteArray elsewhere = head("GET", record()) + "Sec-Fetch-Site: cross-site\r\n\r\n";
    QCOMPARE(send(elsewhere).status, 403);
  }

  void aTokenThatIsRevokedGetsNoMore() {
    serveBy("exec yes");
    const QByteArray ben = QByteArray::fromStdString(give_token("ben").secret);
    auto client = connected(server->port());
    client->write("GET " + QByteArray::fromStdString(record()) + " HTTP/1.1\r\nHost: localhost:" +
                  QByteArray::number(server->port()) + "\r\nAuthorization: Bearer " + ben + "\r\n\r\n");
    QVERIFY(!until(*client, "y\ny\n").isEmpty());
    revoke_token("ben");
    QTRY_VERIFY_WITH_TIMEOUT((client->readAll(), client->state() == QAbstractSocket::UnconnectedState),
                             testing::kPatience);
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestDownloads)
#include "test_downloads.moc"
