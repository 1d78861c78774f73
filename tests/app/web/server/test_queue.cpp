// SPDX-License-Identifier: Apache-2.0
//
// The page's verbs for the queue and the pool, and who is refused them.
#include "batchscope/storage/origins.h"
#include "batchscope/web/tokens.h"
#include "fake_supervisor.h"
#include "rows.h"
#include "web_fixture.h"

namespace batchscope::web {

class TestQueue : public WebTest {
  Q_OBJECT

  // Puts a run into the queue, as `batchscope submit` does, without a pool.
  std::string submit(const std::string& name, int priority = 0) const {
    storage::Catalogue catalogue(protocol::catalogue_path());
    protocol::RunSpec spec;
    spec.name = name;
    spec.program = "/bin/true";
    storage::Job job;
    job.priority = priority;
    return catalogue.submit_run(spec, job);
  }
  Answer ask(const std::string& run, const Json& body) const {
    return post("/api/queue/" + run, QByteArray::fromStdString(body.dump()));
  }
  Answer configure(const Json& body) const {
    return post("/api/pool", QByteArray::fromStdString(body.dump()));
  }
  storage::Job job(const std::string& run) const {
    return storage::Catalogue(protocol::catalogue_path()).job(run).value();
  }
  std::vector<std::string> order() const {
    std::vector<std::string> names;
    const Json queue = get("/api/queue").json;
    for (const Json& each : queue.at("queue")) names.push_back(each.at("name"));
    return names;
  }
  static std::string error(const Answer& answer) { return answer.json.value("error", ""); }

 private Q_SLOTS:
  void init() {
    newStore();
    stand_in("batchscope-pool");  // that decides nothing
    serve();
  }

  void aJobIsHeldAndReleased() {
    const std::string run = submit("one");
    const Answer held = ask(run, {{"command", "hold"}});
    QCOMPARE(held.status, 200);
    QVERIFY(held.json.at("job").at("held") == true);
    QVERIFY(job(run).held);
    QCOMPARE(ask(run, {{"command", "release"}}).status, 200);
    QVERIFY(!job(run).held);
  }

  void decisionsAreToldInWords() {
    const std::string run = submit("one");
    QVERIFY(get("/api/decisions").json.at("decisions").empty());
    {
      storage::Catalogue catalogue(protocol::catalogue_path());
      for (const char* cause : {"one arrived", "a device came"})
        catalogue.add_decision({.time = 1,
                                .cause = cause,
                                .policy = "fair",
                                .choices = {{.run = run,
                                             .devices = {"cpu:0", "cpu:1"},
                                             .before = 1,
                                             .reason = "it gains most",
                                             .alternatives = {{1, -0.38}}}},
                                .idle = {"cpu:2"}});
    }
    QCOMPARE(get("/api/decisions").json.at("decisions").size(), std::size_t(2));
    const Json last = get("/api/decisions?limit=1").json.at("decisions")[0];
    QVERIFY(last.at("cause") == "a device came" && last.at("choices")[0].at("reason") == "it gains most");
    QCOMPARE(text(last.at("shown")), std::string(R"({"changes":"one +1","idle":"cpu:2"})"));
    QCOMPARE(text(last.at("choices")[0].at("shown")),
             std::string(R"({"alternatives":"with 1: −38 %","devices":"1 → 2: cpu:0-1","name":"one",)"
                         R"("tone":"good"})"));
    QCOMPARE(get("/api/decisions?limit=0").status, 400);
    QCOMPARE(get("/api/decisions?limit=1001").status, 400);
  }

  void aJobIsTakenOut() {
    const std::string run = submit("one");
    QCOMPARE(ask(run, {{"command", "cancel"}}).status, 200);
    QVERIFY(get("/api/queue").json.at("queue").empty());
    const Answer again = ask(run, {{"command", "cancel"}});
    QCOMPARE(again.status, 409);
    QVERIFY2(error(again).find("was stopped") != std::string::npos, error(again).c_str());
  }

  void aPriorityIsSetAndToldToBeTakenBack() {
    const std::string run = submit("one", 2);
    const Answer answer = ask(run, {{"command", "priority"}, {"priority", -3}});
    QCOMPARE(answer.status, 200);
    QCOMPARE(job(run).priority, -3);
    QCOMPARE(text(answer.json.at("changed")),
             text(Json::array({{{"run", run}, {"before", 2}, {"after", -3}}})));
    QVERIFY(ask(run, {{"command", "priority"}, {"priority", -3}}).json.at("changed").empty());
  }

  void aJobIsMovedBeforeAndBehindOthers() {
    const std::string a = submit("a"), b = submit("b"), c = submit("c");
    const Answer up = ask(c, {{"command", "move"}, {"before", a}});
    QCOMPARE(up.status, 200);
    QCOMPARE(order(), (std::vector<std::string>{"c", "a", "b"}));
    QCOMPARE(ask(a, {{"command", "move"}, {"after", b}}).status, 200);
    QCOMPARE(order(), (std::vector<std::string>{"c", "b", "a"}));
    for (const Json& change : up.json.at("changed"))
      QVERIFY(change.at("run") == c && change.at("before") == 0 && change.at("after") == 1);
    QCOMPARE(ask(a, {{"command", "move"}, {"after", a}}).json.at("changed").size(), std::size_t(0));
    QCOMPARE(ask(a, {{"command", "move"}, {"before", make_run("over")}}).status, 409);
  }

  void nonsenseIsRefused_data() {
    testing::rows<QByteArray>(
        "body", {"", "[]", "3", "{}", R"({"command":"explode"})", R"({"command":["hold"]})",
                 R"({"command":"priority"})", R"({"command":"priority","priority":11})",
                 R"({"command":"priority","priority":1.5})", R"({"command":"priority","priority":"3"})",
                 R"({"command":"priority","priority":18446744073709551615})", R"({"command":"move"})",
                 R"({"command":"move","before":3})", R"({"command":"move","before":"a","after":"b"})",
                 R"({"command":"move","before":null})"});
  }
  void nonsenseIsRefused() {
    QFETCH(QByteArray, body);
    const std::string run = submit("one", 1);
    const Answer answer = post("/api/queue/" + run, body);
    QCOMPARE(answer.status, 400);
    QVERIFY(!error(answer).empty());
    QCOMPARE(job(run).priority, 1);
  }

  void whatIsNotInTheQueueIsRefused() {
    const Answer answer = ask(make_run("one", 4, protocol::RunState::running), {{"command", "hold"}});
    QCOMPARE(answer.status, 404);
    QVERIFY(error(answer).find("is not in the queue") != std::string::npos);
    QCOMPARE(ask("aaaaaaaa", {{"command", "hold"}}).status, 404);
    QCOMPARE(ask("..%2f..", {{"command", "hold"}}).status, 404);
    QCOMPARE(get("/api/queue/" + submit("two")).status, 405);
    QCOMPARE(get("/api/pool").status, 405);
    QCOMPARE(post("/api/queue/a/b", "{}").status, 405);
  }

  void theWindowsSettingsOfThePoolAreChanged() {
    const Answer answer =
        configure({{"policy", "fast"}, {"paused", true}, {"draining", true}, {"devices", 1}});
    QCOMPARE(answer.status, 200);
    QCOMPARE(answer.json.at("pool").at("policy").get<std::string>(), std::string("fast"));
    const protocol::PoolSettings settings = storage::Catalogue(protocol::catalogue_path()).pool_settings();
    QVERIFY(settings.policy == "fast" && settings.paused && settings.draining && settings.devices == 1);
    QCOMPARE(configure({{"paused", false}}).status, 200);
    QVERIFY(get("/api/queue").json.at("pool").at("paused") == false);
    QVERIFY(get("/api/queue").json.at("pool").at("policies").size() > 1);
  }

  // Such as the commands that the pool starts.
  void noOtherSettingIsChanged_data() {
    testing::rows<QByteArray>(
        "body", {R"({"scale_command":"touch /tmp/x"})", R"({"preempt_notice":"touch /tmp/x"})",
                 R"({"nodes_from":"touch /tmp/x"})", R"({"agents_by":"touch"})",
                 R"({"price_per_device_hour":1})", R"({"turn":1})", R"({"paused":true,"scale_command":"x"})",
                 R"({"policy":"mine"})", R"({"policy":3})", R"({"paused":"yes"})", R"({"devices":-1})",
                 R"({"devices":4294967297})", R"({"devices":1.5})", "{}", "[]", ""});
  }
  void noOtherSettingIsChanged() {
    QFETCH(QByteArray, body);
    const Answer answer = post("/api/pool", body);
    QCOMPARE(answer.status, 400);
    QVERIFY(!error(answer).empty());
    QVERIFY(storage::Catalogue(protocol::catalogue_path()).pool_settings() == protocol::PoolSettings());
  }

  void whoMayNotControlChangesNothing() {
    const std::string run = submit("one");
    const std::string verb = R"({"command":"hold"})", setting = R"({"paused":true})";
    const QByteArray reader = QByteArray::fromStdString(give_token("anna").secret);
    const QByteArray revoked = QByteArray::fromStdString(give_token("ben:control").secret);
    const QByteArray link = QByteArray::fromStdString(give_link(run, 3600).secret);
    revoke_token("ben");
    const QByteArray owner = QByteArray::fromStdString(server->token());
    for (const auto& [target, body] : {std::pair("/api/queue/" + run, verb), {"/api/pool", setting}}) {
      const QByteArray bytes = QByteArray::fromStdString(body);
      QCOMPARE(post_by(reader, target, bytes).status, 403);
      QCOMPARE(post_by(link, target, bytes).status, 403);
      QCOMPARE(post_by(revoked, target, bytes).status, 401);
      QCOMPARE(post_by("", target, bytes).status, 401);
      QCOMPARE(post_by(owner, target, bytes, "Origin: http://evil.example\r\n").status, 403);
      QCOMPARE(post_by(owner, target, bytes, "Sec-Fetch-Site: cross-site\r\n").status, 403);
    }
    serve({.read_only = true});
    QCOMPARE(ask(run, {{"command", "hold"}}).status, 403);
    QCOMPARE(configure({{"paused", true}}).status, 403);
    QVERIFY(!job(run).held);
    QVERIFY(!storage::Catalogue(protocol::catalogue_path()).pool_settings().paused);
  }

  void whoHasAskedStandsAmongTheEvents() {
    const std::string run = submit("one"), other = submit("two");
    const QByteArray ben = QByteArray::fromStdString(give_token("ben:control").secret);
    QCOMPARE(ask(run, {{"command", "hold"}}).status, 200);
    QVERIFY(asked_for(run).empty());
    QCOMPARE(post_by(ben, "/api/queue/" + run, R"({"command":"release"})").status, 200);
    QCOMPARE(post_by(ben, "/api/queue/" + run, R"({"command":"priority","priority":3})").status, 200);
    QCOMPARE(post_by(ben, "/api/queue/" + run,
                     QByteArray::fromStdString(Json{{"command", "move"}, {"after", other}}.dump()))
                 .status,
             200);
    QCOMPARE(asked_for(run),
             (std::vector<std::string>{"release, asked for by ben", "priority 3, asked for by ben",
                                       "move in the queue, asked for by ben"}));
  }

  void aRunThatIsOnlyFollowedIsRefused() {
    const std::string id = make_run("one", 4, protocol::RunState::pending);
    storage::Catalogue catalogue(protocol::catalogue_path());
    storage::RunRecord record = catalogue.record(id);
    catalogue.remove_run(id);
    const std::vector<storage::RecordPart> parts{{.record = record}};
    storage::Origins(protocol::catalogue_path())
        .take(id, {.host = "cluster", .folder = "/scratch/" + id, .followed = true}, parts);
    const Answer answer = ask(id, {{"command", "hold"}});
    QCOMPARE(answer.status, 409);
    QVERIFY2(error(answer).find("/scratch/") != std::string::npos, error(answer).c_str());
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestQueue)
#include "test_queue.moc"
