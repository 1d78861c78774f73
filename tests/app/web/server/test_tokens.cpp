// SPDX-License-Identifier: Apache-2.0
//
// Tokens by name (app/web/server/THREATS.md): who may look changes nothing, who was revoked does nothing, and
// a file that somebody else may have written counts for nothing.
#include "batchscope/web/tokens.h"

#include <sys/stat.h>

#include "fake_supervisor.h"
#include "rows.h"
#include "thrown.h"
#include "web_fixture.h"

namespace batchscope::web {
namespace {

const std::string kSecret = "0123456789abcdef0123456789abcdef";

// A file of one token; each of its fields may be replaced.
std::string file_of(const Json& fields = Json::object()) {
  Json token{{"name", "anna"}, {"right", "read"}, {"made", 1}, {"secret", kSecret}};
  token.update(fields);
  return Json{{"tokens", Json::array({token})}}.dump();
}

}  // namespace

class TestTokens : public WebTest {
  Q_OBJECT

  std::string run;

  QByteArray host() const { return "Host: localhost:" + QByteArray::number(server->port()) + "\r\n"; }
  // What of a request shows the token: in a header, or as the page does.
  QByteArray bearer(const std::string& secret) const {
    return host() + "Authorization: Bearer " + QByteArray::fromStdString(secret) + "\r\n";
  }
  QByteArray cookie(const std::string& secret) const {
    return host() + "Cookie: batchscope-session-" + QByteArray::number(server->port()) + "=" +
           QByteArray::fromStdString(secret) + "\r\n";
  }
  int look(const QByteArray& fields) const {
    return send("GET /api/runs HTTP/1.1\r\n" + fields + "\r\n").status;
  }
  Answer control(const QByteArray& fields, const QByteArray& command = "stop",
                 const QByteArray& query = "") const {
    const QByteArray body = QByteArray::fromStdString(Json{{"command", command.toStdString()}}.dump());
    return send("POST /api/runs/" + QByteArray::fromStdString(run) + "/control" + query + " HTTP/1.1\r\n" +
                fields + "Content-Type: application/json\r\nContent-Length: " +
                QByteArray::number(body.size()) + "\r\n\r\n" + body);
  }
  void write_tokens(const std::string& text) const {
    testing::write_file(path("serve.tokens"), text);
    ::chmod(path("serve.tokens").c_str(), 0600);
  }

 private Q_SLOTS:
  void init() {
    newStore();
    run = make_run("one", 4);
    serve();
  }

  void aTokenIsGivenOnce() {
    QVERIFY(named_tokens().empty());
    const NamedToken anna = give_token("anna"), ben = give_token("ben:control");
    QCOMPARE(anna.name, std::string("anna"));
    QVERIFY(anna.right == Right::read && ben.right == Right::control);
    QCOMPARE(anna.secret.size(), 32u);
    QVERIFY(anna.secret != ben.secret && anna.secret != server->token());
    QVERIFY(give_token("anna:read") == anna);
    QVERIFY((named_tokens() == std::vector{anna, ben}));
    VERIFY_THROWS("conflict", "--revoke anna", give_token("anna:control"));
    QCOMPARE(std::filesystem::status(path("serve.tokens")).permissions(),
             std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    revoke_token("anna");
    QVERIFY(named_tokens() == std::vector{ben});
    VERIFY_THROWS("not_found", "no token 'anna'", revoke_token("anna"));
    QVERIFY(give_token("anna").secret != anna.secret);
  }

  void oddNamesAreRefused_data() {
    testing::rows<QByteArray>(
        "text", {"", ":read", "Anna", "a b", "a/b", "../a", ".a", "-a", "a\n", "\xc3\xa4", "a:", "a:write",
                 "a:read:control", "a:READ", QByteArray(33, 'a')});
  }
  void oddNamesAreRefused() {
    QFETCH(QByteArray, text);
    VERIFY_THROWS("usage", "is not a token", give_token(text.toStdString()));
    QVERIFY(named_tokens().empty());
  }

  void whoMayLookChangesNothing() {
    const std::string secret = give_token("anna").secret;
    for (const QByteArray& shown : {bearer(secret), cookie(secret)}) {
      QCOMPARE(look(shown), 200);
      QCOMPARE(send("GET /metrics HTTP/1.1\r\n" + shown + "\r\n").status, 200);
      for (const char* command : {"stop", "pause", "rescale", "checkpoint", "resume", "none"}) {
        const Answer refused = control(shown, command);
        QCOMPARE(refused.status, 403);
        QVERIFY(refused.all.contains("anna has the right 'read' only"));
      }
      const Json about = send("GET /api/about HTTP/1.1\r\n" + shown + "\r\n").json;
      QVERIFY(about.at("read_only") == true);
      QVERIFY(about.at("token") == "anna");
    }
    QCOMPARE(control(host(), "stop", "?token=" + QByteArray::fromStdString(secret)).status, 401);
    QCOMPARE(control(cookie(secret) + "Authorization: Bearer x\r\n").status, 403);
  }

  void whoMayControlDoes() {
    const std::string secret = give_token("ben:control").secret;
    for (const QByteArray& shown : {bearer(secret), cookie(secret)})
      QCOMPARE(control(shown).status, 409);  // the run has finished
    const Json about = send("GET /api/about HTTP/1.1\r\n" + bearer(secret) + "\r\n").json;
    QVERIFY(about.at("read_only") == false);
    QVERIFY(get("/api/about").json.at("token").is_null());
    serve({.read_only = true});
    QCOMPARE(look(bearer(secret)), 200);
    QCOMPARE(control(bearer(secret)).status, 403);
  }

  void whatPeopleAskForIsAmongTheEvents() {
    run = make_run("two", 4, protocol::RunState::running);
    FakeSupervisor supervisor(run);
    QCOMPARE(control(bearer(give_token("ben:control").secret), "checkpoint").status, 200);
    QCOMPARE(control(bearer(server->token()), "pause").status, 200);
    QCOMPARE(control(bearer(give_token("anna").secret), "pause").status, 403);
    std::vector<std::string> asked;
    for (const storage::Event& event : storage::Catalogue(protocol::catalogue_path()).events(run))
      if (event.text.find("asked for") != std::string::npos) asked.push_back(event.text);
    QVERIFY(asked == std::vector<std::string>{"checkpoint, asked for by ben"});
  }

  void aLinkShowsOneRunAndNoOther() {
    const std::string other = make_run("two", 4);
    const Answer made = post("/api/runs/" + run + "/link", "{}");
    QCOMPARE(made.status, 200);
    const std::string target = made.json.at("path");
    QVERIFY(target.starts_with("/run/" + run + "?token="));
    QVERIFY(std::abs(made.json.at("until").get<std::int64_t>() - std::time(nullptr) - 24 * 3600) < 60);
    const std::string secret = target.substr(target.find('=') + 1);
    QCOMPARE(send("GET " + QByteArray::fromStdString(target) + " HTTP/1.1\r\n" + host() + "\r\n").status,
             303);
    const auto asked = [&](const std::string& path) {
      return send("GET " + QByteArray::fromStdString(path) + " HTTP/1.1\r\n" + cookie(secret) + "\r\n");
    };
    QCOMPARE(asked("/").status, 200);
    const Json about = asked("/api/about").json;
    QCOMPARE(about.at("run").get<std::string>(), run);
    QVERIFY(about.at("read_only") == true);
    for (const char* of : {"", "/log?rank=0", "/explorer", "/samples?series=loss"})
      QVERIFY2(asked("/api/runs/" + run + of).status != 403, of);
    for (const std::string& path :
         {std::string("/api/runs"), "/api/runs/" + other, "/api/runs/" + other + "/stream",
          "/api/stream?runs=" + run, "/api/stream?runs=" + other, std::string("/api/changes"),
          std::string("/api/queue"), std::string("/api/decisions"), std::string("/api/lessons"),
          "/api/scaling?runs=" + run, std::string("/api/runs?trash=1"), std::string("/api/sweeps"),
          std::string("/api/sweeps/" + run), std::string("/metrics"), "/api/runs/" + run + "%2f..%2f" + other,
          "/api//runs/" + other, "/api/runs/../runs/" + other, std::string("/api")})
      QVERIFY2(asked(path).status >= 400, path.c_str());
    QCOMPARE(asked("/api/runs/" + other).status, 403);
    QCOMPARE(control(cookie(secret)).status, 403);
    QCOMPARE(send("POST /api/runs/" + QByteArray::fromStdString(run) + "/link HTTP/1.1\r\n" + cookie(secret) +
                  "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
                 .status,
             403);
    revoke_token(made.json.at("name"));
    QCOMPARE(asked("/api/about").status, 401);
    QCOMPARE(post("/api/runs/none/link", "{}").status, 404);
    QCOMPARE(get("/api/runs/" + run + "/link").status, 405);
  }

  void aLinkEndsWithItsTime() {
    const NamedToken link = give_link(run, 1);
    const std::string target = "/api/runs/" + run;
    const auto looked = [&] {
      return send("GET " + QByteArray::fromStdString(target) + " HTTP/1.1\r\n" + bearer(link.secret) + "\r\n")
          .status;
    };
    const auto stream = testing::connected(server->port());
    stream->write("GET " + QByteArray::fromStdString(target) + "/stream HTTP/1.1\r\n" + bearer(link.secret) +
                  "\r\n");
    QVERIFY(QTest::qWaitFor([&] { return looked() == 401; }, testing::kPatience));
    QVERIFY(QTest::qWaitFor([&] { return stream->state() == QAbstractSocket::UnconnectedState; },
                            testing::kPatience));
    QCOMPARE(named_tokens().size(), 1u);
    give_link(run, 60);
    QCOMPARE(named_tokens().size(), 1u);  // the other is forgotten
  }

  // A reader's address never hands out another one's cookie, the owner's least of all.
  void theCookieIsTheCallersOwn() {
    const std::string reader = give_token("anna").secret, owner = server->token();
    const auto entered = [&](const std::string& token, const QByteArray& fields) {
      const Answer answer =
          send("GET /?token=" + QByteArray::fromStdString(token) + " HTTP/1.1\r\n" + fields + "\r\n");
      const QByteArray name = "Set-Cookie: batchscope-session-" + QByteArray::number(server->port()) + "=";
      const auto begin = answer.all.indexOf(name);
      return begin < 0 ? std::string() : answer.all.mid(begin + name.size(), 32).toStdString();
    };
    QCOMPARE(entered(reader, host()), reader);
    QCOMPARE(entered(owner, host()), owner);
    QCOMPARE(entered(owner, cookie(reader)), owner);
    QCOMPARE(entered(reader, cookie(owner)), reader);
    QCOMPARE(entered(kSecret, cookie(reader)), reader);  // a stranger's, in an address that was sent to her
    QCOMPARE(entered(kSecret, host()), std::string());
  }

  void aRevokedTokenIsRefusedAtOnce() {
    const std::string reader = give_token("anna").secret, other = give_token("ben:control").secret;
    const auto stream = [&](const std::string& target) {
      auto socket = testing::connected(server->port());
      socket->write("GET " + QByteArray::fromStdString(target) + " HTTP/1.1\r\n" + bearer(reader) + "\r\n");
      return socket;
    };
    const auto lists = stream("/api/changes"), samples = stream("/api/runs/" + run + "/stream");
    QByteArray heard;
    QVERIFY(QTest::qWaitFor([&] { return (heard += samples->readAll()).contains("text/event-stream"); },
                            testing::kPatience));
    QCOMPARE(look(bearer(reader)), 200);

    // Its body is still on the way when it is revoked.
    const auto late = testing::connected(server->port());
    late->write("POST /api/runs/" + QByteArray::fromStdString(run) + "/control HTTP/1.1\r\n" + bearer(other) +
                "Content-Type: application/json\r\nContent-Length: 18\r\n\r\n");
    QTest::qWait(200);
    revoke_token("anna");
    revoke_token("ben");
    late->write(R"({"command":"stop"})");
    QCOMPARE(testing::status(testing::answer(*late)), 401);
    QCOMPARE(look(bearer(reader)), 401);
    QCOMPARE(look(cookie(reader)), 401);
    const Answer told = send("GET /api/runs HTTP/1.1\r\n" + cookie(reader) + "\r\n");
    VERIFY_HOLDS(told.json.value("error", ""), "revoked or replaced", "Ask the owner");
    const QByteArray page = send("GET / HTTP/1.1\r\n" + cookie(reader) + "Accept: text/html\r\n\r\n").all;
    QVERIFY(page.contains("<h1>The token no longer counts</h1>") && page.contains("serve tokens --add"));
    QCOMPARE(
        send("GET /?token=" + QByteArray::fromStdString(reader) + " HTTP/1.1\r\n" + host() + "\r\n").status,
        401);
    for (const auto& socket : {lists.get(), samples.get()})
      QVERIFY(QTest::qWaitFor([&] { return socket->state() == QAbstractSocket::UnconnectedState; },
                              testing::kPatience));
    QCOMPARE(get("/api/runs").status, 200);
  }

  void aNewTokenRevokesAll() {
    const std::string reader = give_token("anna").secret;
    serve({.new_token = true});
    QVERIFY(named_tokens().empty());
    QCOMPARE(look(bearer(reader)), 401);
    QCOMPARE(get("/api/runs").status, 200);
  }

  void aDamagedFileLetsNobodyIn_data() {
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* name, const std::string& text) {
      QTest::newRow(name) << QByteArray::fromStdString(text);
    };
    row("empty", "");
    row("half", file_of().substr(0, 60));
    row("not an object", "[]");
    row("no list", R"({"tokens":"anna"})");
    row("another right", file_of({{"right", "owner"}}));
    row("a right that is no text", file_of({{"right", 1}}));
    row("no right", file_of({{"right", nullptr}}));
    row("a name with a slash", file_of({{"name", "../anna"}}));
    row("a short secret", file_of({{"secret", kSecret.substr(1)}}));
    row("an empty secret", file_of({{"secret", ""}}));
    row("a secret that is no number", file_of({{"secret", "g" + kSecret.substr(1)}}));
    row("deep", std::string(100'000, '['));
    Json twice = Json::parse(file_of());
    twice["tokens"].push_back(twice["tokens"][0]);
    row("twice the same name", twice.dump());
  }
  void aDamagedFileLetsNobodyIn() {
    QFETCH(QByteArray, text);
    write_tokens(file_of());
    QCOMPARE(look(bearer(kSecret)), 200);
    write_tokens(text.toStdString());
    QCOMPARE(look(bearer(kSecret)), 401);
    QCOMPARE(look(bearer("")), 401);
    QCOMPARE(get("/api/runs").status, 200);
    VERIFY_THROWS("corrupt", "serve.tokens is damaged", named_tokens());
    VERIFY_THROWS("corrupt", "Remove the file", give_token("ben"));
    VERIFY_THROWS("corrupt", "", revoke_token("anna"));
    VERIFY_THROWS("corrupt", "", serve());
    serve({.new_token = true});
    QCOMPARE(get("/api/runs").status, 200);
  }

  void aFileOfOthersLetsNobodyIn() {
    write_tokens(file_of());
    for (const mode_t mode : {0640, 0604, 0620, 0602}) {
      ::chmod(path("serve.tokens").c_str(), mode);
      QCOMPARE(look(bearer(kSecret)), 401);
    }
    ::chmod(path("serve.tokens").c_str(), 0600);
    QCOMPARE(look(bearer(kSecret)), 200);
    std::filesystem::rename(path("serve.tokens"), path("elsewhere"));
    std::filesystem::create_symlink(path("elsewhere"), path("serve.tokens"));
    QCOMPARE(look(bearer(kSecret)), 401);
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestTokens)
#include "test_tokens.moc"
