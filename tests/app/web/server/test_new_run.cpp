// SPDX-License-Identifier: Apache-2.0
//
// New runs from a page: of recipes that are installed, with checked fields, and of nothing else.
#include "batchscope/web/tokens.h"
#include "rows.h"
#include "thrown.h"
#include "web_fixture.h"

namespace batchscope::web {

class TestNewRun : public WebTest {
  Q_OBJECT

  Answer submit(const Json& body) const { return post("/api/queue", QByteArray::fromStdString(body.dump())); }
  static std::vector<storage::Run> runs() { return storage::Catalogue(protocol::catalogue_path()).runs(); }

 private Q_SLOTS:
  void init() {
    newStore();
    stand_in("batchscope-pool");
    install_toy();
    serve();
  }

  void theRecipesAreListedWithTheirFields() {
    const Json answer = get("/api/recipes").json;
    Json toy;  // this machine may have others
    for (const Json& each : answer.at("recipes"))
      if (each.at("name") == "toy") toy = each;
    QVERIFY(toy.is_object() && toy.at("title") == "A toy");
    QVERIFY((toy.at("fixed") == Json{"data"}));
    QCOMPARE(toy.at("parameters").size(), std::size_t(3));
    const Json expected{{"name", "epochs"}, {"type", "integer"},        {"value", "3"},    {"min", 1.0},
                        {"max", 9.0},       {"choices", Json::array()}, {"help", "Passes"}};
    QCOMPARE(text(toy.at("parameters")[0]), text(expected));
    QVERIFY(answer.at("devices").get<int>() > 0);
  }

  // A new run takes what a clone begins with as it is.
  void aCloneBeginsWithTheRunsOwnSettings() {
    const Json wish{{"recipe", "toy"},      {"values", {{"epochs", "5"}, {"quiet", "true"}}},
                    {"name", "mine"},       {"replicas", "1"},
                    {"held", true},         {"group", "g"},
                    {"tags", "paper, toy"}, {"device", "cpu"}};
    const std::string first = submit(wish).json.at("run");
    const Answer answer = get("/api/runs/" + first + "/clone");
    QVERIFY2(answer.status == 200, answer.all.constData());
    const Json expected{{"recipe", "toy"},
                        {"name", "mine copy"},
                        {"replicas", "1"},
                        {"group", "g"},
                        {"device", "cpu"},
                        {"tags", "paper, toy"},
                        {"values", {{"epochs", "5"}, {"quiet", "true"}, {"rule", "adascale"}}}};
    QCOMPARE(text(answer.json), text(expected));
    Json again = answer.json;
    again["held"] = true;
    const Answer copy = submit(again);
    QVERIFY2(copy.status == 200, copy.all.constData());
    storage::Catalogue catalogue(protocol::catalogue_path());
    QVERIFY(catalogue.run(copy.json.at("run"))->spec.arguments == catalogue.run(first)->spec.arguments);
  }

  void aRunMayWaitForAnotherOneAndKeepItsDevices() {
    const std::string first = submit({{"recipe", "toy"}, {"held", true}}).json.at("run");
    const Answer answer =
        submit({{"recipe", "toy"}, {"after", first + ":end"}, {"pin", true}, {"device", "cpu"}});
    QVERIFY2(answer.status == 200, answer.all.constData());
    storage::Catalogue catalogue(protocol::catalogue_path());
    const std::string second = answer.json.at("run");
    const storage::Job job = catalogue.job(second).value();
    QVERIFY(job.after == first && job.after_end == storage::AfterEnd::end && !job.preemptible);
    QCOMPARE(catalogue.run(second)->spec.device, std::string("cpu"));
    const auto fault = [this](const char* field, const Json& value) {
      return submit({{"recipe", "toy"}, {field, value}, {"check", true}}).json.at("fields").contains(field);
    };
    for (const char* after : {"nosuch00", "../runs", ":end", "toy"}) QVERIFY2(fault("after", after), after);
    for (const char* device : {"", "tpu", "cpu:0", "/dev/null"}) QVERIFY2(fault("device", device), device);
    QVERIFY(fault("pin", "yes") && fault("after", 3) && fault("device", 0));
  }

  void aRunThatAPageMayNotStartIsNotCloned() {
    storage::Catalogue catalogue(protocol::catalogue_path());
    protocol::RunSpec spec;
    spec.name = "other";
    spec.program = "/bin/true";
    spec.working_directory = path(".");
    const std::string program = catalogue.create_run(spec);
    spec.program = path("bin/toy");
    spec.arguments = {"--data", "/etc"};
    const std::string free_text = catalogue.create_run(spec);
    for (const auto& [run, why] :
         {std::pair(program, "not of a recipe"), std::pair(free_text, "data is free text")}) {
      const Answer answer = get("/api/runs/" + run + "/clone");
      QVERIFY2(answer.status == 409, answer.all.constData());
      VERIFY_HOLDS(answer.json.value("error", ""), why);
    }
    QCOMPARE(get("/api/runs/nosuch00/clone").status, 404);
  }

  void aRunIsPutIntoTheQueue() {
    const Answer answer = submit({{"recipe", "toy"},
                                  {"values", {{"epochs", "5"}, {"quiet", "true"}}},
                                  {"name", "mine"},
                                  {"replicas", "1"},
                                  {"priority", 2},
                                  {"held", true},
                                  {"group", "g"},
                                  {"tags", "paper, toy"},
                                  {"note", "a note"}});
    QVERIFY2(answer.status == 200, answer.all.constData());
    storage::Catalogue catalogue(protocol::catalogue_path());
    const storage::Run run = catalogue.run(answer.json.at("run")).value();
    QCOMPARE(run.name, std::string("mine"));
    QCOMPARE(run.spec.program, path("bin/toy"));
    QCOMPARE(run.spec.arguments,
             (std::vector<std::string>{"--epochs", "5", "--rule", "adascale", "--quiet"}));
    QVERIFY(run.spec.replicas == 1 && !run.spec.auto_replicas && run.spec.group == "g");
    QVERIFY((run.tags == std::vector<std::string>{"paper", "toy"}) && run.note == "a note");
    const storage::Job job = catalogue.job(run.id).value();
    QVERIFY(job.priority == 2 && job.held);
    QVERIFY(answer.json.at("job").at("held") == true);
  }

  // Whether it trains then is tried with real runs (page.new_run).
  void aRunIsStartedAtOnceBesideTheQueue() {
    stand_in("batchscope");  // a supervisor that ends at once
    const Answer answer = post(
        "/api/runs", R"({"recipe":"toy","name":"now","values":{"epochs":"5"},"replicas":"1","tags":"a"})");
    QVERIFY(answer.json.value("error", "").find("the supervisor of run") != std::string::npos);
    storage::Catalogue catalogue(protocol::catalogue_path());
    const storage::Run run = catalogue.resolve("now");
    QVERIFY(run.spec.program == path("bin/toy") && run.spec.replicas == 1 && !catalogue.job(run.id));
    QCOMPARE(run.spec.arguments, (std::vector<std::string>{"--epochs", "5", "--rule", "adascale"}));
  }

  void whatIsOfTheQueueIsRefusedThere() {
    const Json fields =
        post("/api/runs", R"({"recipe":"toy","priority":1,"held":true,"pin":true,"after":"x","check":true})")
            .json.at("fields");
    for (const char* field : {"priority", "held", "pin", "after"}) QVERIFY2(fields.contains(field), field);
    QVERIFY(post("/api/runs", R"({"recipe":"toy","replicas":"0","check":true})")
                .json.at("fields")
                .contains("replicas"));
    QCOMPARE(post("/api/runs", R"({"program":"/bin/sh"})").status, 400);
    QVERIFY(runs().empty());
  }

  void aRecipeAloneIsEnough() {
    const Answer answer = submit({{"recipe", "toy"}});
    QCOMPARE(answer.status, 200);
    const storage::Run run = runs().at(0);
    QVERIFY(run.name == "toy" && run.spec.auto_replicas);  // the pool chooses, as with `batchscope submit`
  }

  void whatIsWrongIsToldByItsField_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QString>("field");
    const auto row = [](const char* field, const char* body) {
      QTest::newRow(body) << QByteArray(body) << field;
    };
    row("recipe", R"({"recipe":"none"})");
    row("recipe", R"({"recipe":"../toy"})");
    row("recipe", R"({"recipe":"/bin/sh"})");
    row("values.epochs", R"({"recipe":"toy","values":{"epochs":"0"}})");
    row("values.epochs", R"({"recipe":"toy","values":{"epochs":"many"}})");
    row("values.rule", R"({"recipe":"toy","values":{"rule":"square"}})");
    row("values.mine", R"({"recipe":"toy","values":{"mine":"1"}})");
    row("values.data", R"({"recipe":"toy","values":{"data":"/etc"}})");
    row("name", R"({"recipe":"toy","name":""})");
    row("name", R"({"recipe":"toy","name":"a\nb"})");
    row("name", R"({"recipe":"toy","name":3})");
    row("replicas", R"({"recipe":"toy","replicas":"0"})");
    row("replicas", R"({"recipe":"toy","replicas":"often"})");
    row("replicas", R"({"recipe":"toy","replicas":"4000-4001"})");  // more than this machine has
    row("priority", R"({"recipe":"toy","priority":11})");
    row("priority", R"({"recipe":"toy","priority":"1"})");
    row("group", R"({"recipe":"toy","group":"a\nb"})");
    row("tags", R"({"recipe":"toy","tags":"a\u0001b"})");
    row("held", R"({"recipe":"toy","held":"yes"})");
  }
  void whatIsWrongIsToldByItsField() {
    QFETCH(QByteArray, body);
    QFETCH(QString, field);
    const Answer answer = post("/api/queue", body);
    QVERIFY2(answer.status == 400, answer.all.constData());
    QVERIFY2(answer.json.at("fields").contains(field.toStdString()), answer.all.constData());
    QVERIFY(!answer.json.at("error").get<std::string>().empty());
    QVERIFY(runs().empty());
  }

  void aCheckSubmitsNothing() {
    const Answer good = submit({{"recipe", "toy"}, {"check", true}});
    QCOMPARE(good.status, 200);
    QVERIFY(good.json.at("fields").empty());
    const Answer bad = submit({{"recipe", "toy"}, {"check", true}, {"priority", 99}, {"name", ""}});
    QCOMPARE(bad.status, 200);
    QCOMPARE(bad.json.at("fields").size(), std::size_t(2));
    QVERIFY(runs().empty());
  }

  // A page says nothing of what is started, where, or with which environment.
  void nothingElseIsStarted_data() {
    testing::rows<QByteArray>(
        "body", {"", "[]", "{}", R"({"recipe":3})", R"({"recipe":["toy"]})", R"({"program":"/bin/sh"})",
                 R"({"recipe":"toy","program":"/bin/sh"})", R"({"recipe":"toy","arguments":["-c","id"]})",
                 R"({"recipe":"toy","environment":{"LD_PRELOAD":"x"}})",
                 R"({"recipe":"toy","working_directory":"/"})", R"({"recipe":"toy","values":[]})",
                 R"({"recipe":"toy","values":{"epochs":3}})"});
  }
  void nothingElseIsStarted() {
    QFETCH(QByteArray, body);
    const Answer answer = post("/api/queue", body);
    QCOMPARE(answer.status, 400);
    QVERIFY(!answer.json.value("error", "").empty());
    QVERIFY(runs().empty());
  }

  void whoMayNotControlStartsNothing() {
    const QByteArray body = R"({"recipe":"toy"})";
    const QByteArray owner = QByteArray::fromStdString(server->token());
    const QByteArray reader = QByteArray::fromStdString(give_token("anna").secret);
    const QByteArray revoked = QByteArray::fromStdString(give_token("ben:control").secret);
    revoke_token("ben");
    QCOMPARE(post_by(reader, "/api/queue", body).status, 403);
    QCOMPARE(post_by(revoked, "/api/queue", body).status, 401);
    QCOMPARE(post_by(owner, "/api/queue", body, "Origin: http://evil.example\r\n").status, 403);
    QCOMPARE(post_by(owner, "/api/queue", body, "Sec-Fetch-Site: cross-site\r\n").status, 403);
    serve({.read_only = true});
    QCOMPARE(post("/api/queue", body).status, 403);
    QVERIFY(runs().empty());
  }

  void whoHasAskedStandsAmongTheEvents() {
    const QByteArray ben = QByteArray::fromStdString(give_token("ben:control").secret);
    const Answer answer = post_by(ben, "/api/queue", R"({"recipe":"toy"})");
    QCOMPARE(answer.status, 200);
    QCOMPARE(asked_for(answer.json.at("run")), std::vector<std::string>{"submit, asked for by ben"});
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestNewRun)
#include "test_new_run.moc"
