// SPDX-License-Identifier: Apache-2.0
//
// The page's verbs for sweeps, and who is refused them.
#include "batchscope/storage/sweeps.h"
#include "batchscope/web/tokens.h"
#include "rows.h"
#include "thrown.h"
#include "web_fixture.h"

namespace batchscope::web {

using storage::SweepState;

class TestSweeps : public WebTest {
  Q_OBJECT

  // Adds a sweep of four trials with a trial that waits in the queue, and returns that one's run.
  static std::string begin(const std::string& name, const std::string& more = "trials = 4") {
    storage::Catalogue catalogue(protocol::catalogue_path());
    storage::Sweeps sweeps(catalogue);
    storage::Sweep sweep;
    sweep.name = name;
    sweep.file = "name = \"" + name + "\"\nprogram = \"/bin/true\"\nmetric = \"loss\"\ngoal = \"min\"\n" +
                 more + "\n[parameter.lr]\nvalues = [0.1, 0.2]\n";
    sweeps.create(sweep);
    sweeps.begin_leg(name, 0, {.trial = 0, .parameters = {{"lr", "0.1"}}});
    protocol::RunSpec spec;
    spec.name = name + "-0";
    spec.program = "/bin/true";
    return sweeps.submit(name, {}, spec);
  }
  Answer ask(const std::string& sweep, const Json& body) const {
    return post("/api/sweeps/" + sweep, QByteArray::fromStdString(body.dump()));
  }
  static storage::Sweep sweep(const std::string& name) {
    storage::Catalogue catalogue(protocol::catalogue_path());
    return storage::Sweeps(catalogue).find(name).value();
  }
  static void set(const std::string& name, SweepState state) {
    storage::Catalogue catalogue(protocol::catalogue_path());
    storage::Sweeps(catalogue).set_state(name, state);
  }
  static storage::Job job(const std::string& run) {
    return storage::Catalogue(protocol::catalogue_path()).job(run).value();
  }

 private Q_SLOTS:
  void init() {
    newStore();
    stand_in("batchscope-pool");   // that decides nothing
    stand_in("batchscope-sweep");  // that begins no trial
    serve();
  }

  void aSweepIsPausedAndResumed() {
    const std::string run = begin("rates");
    const Answer paused = ask("rates", {{"command", "pause"}});
    QVERIFY2(paused.status == 200, paused.all.constData());
    QVERIFY(paused.json.at("sweep").at("state") == "paused");
    QVERIFY(paused.json.at("sweep").at("shown").at("state") == "Paused");
    QVERIFY(sweep("rates").state == SweepState::paused && job(run).held);
    QCOMPARE(ask("rates", {{"command", "resume"}}).status, 200);
    QVERIFY(sweep("rates").state == SweepState::running && !job(run).held);
  }

  void aSweepIsStoppedAndItsTrialsEnd() {
    const std::string run = begin("rates");
    QCOMPARE(ask("rates", {{"command", "stop"}}).status, 200);
    QVERIFY(sweep("rates").state == SweepState::stopped);
    QVERIFY(storage::Catalogue(protocol::catalogue_path()).run(run)->state == protocol::RunState::stopped);
    const Answer refused = ask("rates", {{"command", "pause"}});
    QCOMPARE(refused.status, 409);
    VERIFY_HOLDS(refused.json.value("error", ""), "was stopped");
  }

  void aSweepIsGivenMoreTrialsAndGoesOn() {
    begin("rates");
    set("rates", SweepState::finished);
    const Answer refused = ask("rates", {{"command", "resume"}});
    QCOMPARE(refused.status, 409);
    VERIFY_HOLDS(refused.json.value("error", ""), "is finished");
    const Answer extended = ask("rates", {{"command", "extend"}, {"trials", 3}});
    QVERIFY2(extended.status == 200, extended.all.constData());
    QCOMPARE(extended.json.at("sweep").at("trials").at("wanted").get<int>(), 7);
    QVERIFY(sweep("rates").state == SweepState::running);
  }

  void aSweepThatIsOverIsRemovedAndComesBack() {
    const std::string run = begin("rates");
    const Answer refused = ask("rates", {{"command", "remove"}});
    QCOMPARE(refused.status, 409);
    VERIFY_HOLDS(refused.json.value("error", ""), "stop it first");
    QCOMPARE(ask("rates", {{"command", "stop"}}).status, 200);
    const std::string before = text(get("/api/sweeps/rates").json);
    const Answer removed = ask("rates", {{"command", "remove"}, {"runs", true}});
    QVERIFY2(removed.status == 200, removed.all.constData());
    QVERIFY((removed.json == Json{{"removed", "rates"}, {"runs", 1}}));
    QCOMPARE(get("/api/sweeps/rates").status, 404);
    QCOMPARE(get("/api/runs/" + run).status, 404);  // in the trash
    const Answer back = ask("rates", {{"command", "restore"}});
    QVERIFY2(back.status == 200, back.all.constData());
    QCOMPARE(text(get("/api/sweeps/rates").json), before);
    QCOMPARE(get("/api/runs/" + run).status, 200);
    QCOMPARE(ask("rates", {{"command", "restore"}}).status, 404);  // it was kept once
  }

  void whatCannotComeBackIsRefused() {
    begin("rates");
    set("rates", SweepState::finished);
    QCOMPARE(ask("rates", {{"command", "restore"}}).status, 404);
    QCOMPARE(ask("rates", {{"command", "remove"}, {"runs", "yes"}}).status, 400);
    QCOMPARE(ask("rat", {{"command", "remove"}}).status, 404);
    QCOMPARE(ask("rates", {{"command", "remove"}}).status, 200);
    begin("rates");  // another one of this name, meanwhile
    QCOMPARE(ask("rates", {{"command", "restore"}}).status, 409);
    serve();  // a server that has removed nothing
    QCOMPARE(ask("other", {{"command", "restore"}}).status, 404);
  }

  void theTrialsAreSavedAsTheCommandLineExportsThem() {
    const std::string run = begin("rates");
    const Answer table = get("/api/sweeps/rates/trials?format=csv");
    QVERIFY2(table.status == 200, table.all.constData());
    QVERIFY(table.all.contains("Content-Type: text/csv"));
    QVERIFY(table.all.contains("filename=\"rates-trials.csv\""));
    QCOMPARE(testing::body(table.all),
             QByteArray("trial,state,value,rung,parameter.lr,device_hours,runs,message\n0,running,,,0.1,0," +
                        QByteArray::fromStdString(run) + ",\n"));
    const Answer all = get("/api/sweeps/rates/trials?format=json");
    QVERIFY(all.all.contains("filename=\"rates-trials.json\""));
    QVERIFY(all.json.at("legs").size() == 1 && all.json.at("trials").size() == 1);
    const Answer file = get("/api/sweeps/rates/trials?format=toml");
    QVERIFY(file.all.contains("filename=\"rates.toml\"") &&
            file.all.contains("Content-Type: application/toml"));
    VERIFY_HOLDS(testing::body(file.all).toStdString(), "name = \"rates\"", "trials = 4", "[parameter.lr]");
    QCOMPARE(get("/api/sweeps/rates/trials?format=yaml").status, 400);
    QCOMPARE(get("/api/sweeps/rat/trials").status, 404);
    QCOMPARE(post("/api/sweeps/rates/trials", "{}").status, 405);
  }

  void aPageIsToldOfWhatThereCanBeMore_data() {
    QTest::addColumn<std::string>("more");
    QTest::addColumn<Json>("expected");
    QTest::newRow("trials") << std::string("trials = 4") << Json{{"trials", true}, {"device_hours", false}};
    QTest::newRow("time") << std::string("method = \"grid\"\ndevice_hours = 1.5")
                          << Json{{"trials", false}, {"device_hours", true}};
    QTest::newRow("grid") << std::string("method = \"grid\"")
                          << Json{{"trials", false}, {"device_hours", false}};
    QTest::newRow("population") << std::string("trials = 10\n[stop]\nkind = \"pbt\"\nmin = 100\nmax = 400")
                                << Json{{"trials", false}, {"device_hours", false}};
  }
  void aPageIsToldOfWhatThereCanBeMore() {
    QFETCH(std::string, more);
    QFETCH(Json, expected);
    begin("rates", more);
    const Answer answer = get("/api/sweeps/rates");
    QVERIFY2(answer.status == 200, answer.all.constData());
    QCOMPARE(text(answer.json.at("extends")), text(expected));
    // And the engine says the same.
    QCOMPARE(ask("rates", {{"command", "extend"}, {"trials", 1}}).status,
             expected.at("trials") == true ? 200 : 400);
    QCOMPARE(ask("rates", {{"command", "extend"}, {"device_hours", 0.5}}).status,
             expected.at("device_hours") == true ? 200 : 400);
  }

  void nonsenseIsRefused_data() {
    testing::rows<QByteArray>(
        "body",
        {"", "[]", "3", "{}", R"({"command":"begin"})", R"({"command":["stop"]})", R"({"command":"extend"})",
         R"({"command":"extend","trials":0})", R"({"command":"extend","trials":-1})",
         R"({"command":"extend","trials":1.5})", R"({"command":"extend","trials":"3"})",
         R"({"command":"extend","trials":null})", R"({"command":"extend","trials":100000})",
         R"({"command":"extend","trials":18446744073709551615})", R"({"command":"extend","device_hours":-1})",
         R"({"command":"extend","device_hours":1e9})",
         R"({"command":"extend","trials":1,"device_hours":"2"})"});
  }
  void nonsenseIsRefused() {
    QFETCH(QByteArray, body);
    begin("rates");
    const std::string before = sweep("rates").file;
    const Answer answer = post("/api/sweeps/rates", body);
    QVERIFY2(answer.status == 400, answer.all.constData());
    QVERIFY(!answer.json.value("error", "").empty());
    QVERIFY(sweep("rates").file == before && sweep("rates").state == SweepState::running);
  }

  // A terminal finds a sweep by the beginning of its name, or as the newest.
  void onlyTheWholeNameFindsASweep() {
    begin("rates");
    for (const char* name : {"rat", "latest", "other", "..%2frates"})
      QCOMPARE(ask(name, {{"command", "stop"}}).status, 404);
    QCOMPARE(post("/api/sweeps", R"({"command":"stop"})").status, 400);
    QVERIFY(sweep("rates").state == SweepState::running);
  }

  void whoMayNotControlChangesNothing() {
    const std::string run = begin("rates"), target = "/api/sweeps/rates";
    const QByteArray body = R"({"command":"stop"})";
    const QByteArray reader = QByteArray::fromStdString(give_token("anna").secret);
    const QByteArray revoked = QByteArray::fromStdString(give_token("ben:control").secret);
    const QByteArray link = QByteArray::fromStdString(give_link(run, 3600).secret);
    revoke_token("ben");
    const QByteArray owner = QByteArray::fromStdString(server->token());
    QCOMPARE(post_by(reader, target, body).status, 403);
    QCOMPARE(post_by(link, target, body).status, 403);
    QCOMPARE(post_by(revoked, target, body).status, 401);
    QCOMPARE(post_by("", target, body).status, 401);
    QCOMPARE(post_by(owner, target, body, "Origin: http://evil.example\r\n").status, 403);
    QCOMPARE(post_by(owner, target, body, "Sec-Fetch-Site: cross-site\r\n").status, 403);
    serve({.read_only = true});
    QCOMPARE(post(target, body).status, 403);
    QVERIFY(sweep("rates").state == SweepState::running);
  }

  void whoHasAskedStandsAmongTheEventsOfItsRuns() {
    const std::string run = begin("rates");
    const QByteArray ben = QByteArray::fromStdString(give_token("ben:control").secret);
    QCOMPARE(ask("rates", {{"command", "pause"}}).status, 200);
    QVERIFY(asked_for(run).empty());
    for (const char* body :
         {R"({"command":"resume"})", R"({"command":"stop"})", R"({"command":"extend","trials":1})"})
      QCOMPARE(post_by(ben, "/api/sweeps/rates", body).status, 200);
    QCOMPARE(asked_for(run), (std::vector<std::string>{"resume of the sweep rates, asked for by ben",
                                                       "stop of the sweep rates, asked for by ben",
                                                       "1 more trial of the sweep rates, asked for by ben"}));
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestSweeps)
#include "test_sweeps.moc"
