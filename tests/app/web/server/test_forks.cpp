// SPDX-License-Identifier: Apache-2.0
//
// Forks of runs from a page: of installed recipes, and of no other program.
#include "batchscope/protocol/checkpoint_writer.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/storage/origins.h"
#include "batchscope/web/tokens.h"
#include "rows.h"
#include "thrown.h"
#include "web_fixture.h"

namespace batchscope::web {

namespace fs = std::filesystem;

class TestForks : public WebTest {
  Q_OBJECT

  std::string toy;  // a run of the recipe

  // Makes a run that has a checkpoint after step 7.
  std::string make(const std::string& program, const std::vector<std::string>& arguments) const {
    storage::Catalogue catalogue(protocol::catalogue_path());
    protocol::RunSpec spec;
    spec.name = "one";
    spec.program = program;
    spec.arguments = arguments;
    spec.working_directory = path(".");
    const std::string id = catalogue.create_run(spec);
    catalogue.set_state(id, protocol::RunState::finished);
    const protocol::RunPaths paths = protocol::run_paths(id);
    protocol::make_run_directories(paths);
    protocol::Manifest manifest;
    manifest.step = 7;
    protocol::write_checkpoint(paths.checkpoints / "checkpoint-000001", manifest,
                               [&](const fs::path& folder) {
                                 testing::write_file((folder / "state").string(), "x");
                                 manifest.files = {{"state", 1, protocol::file_crc32(folder / "state")}};
                               });
    return id;
  }
  Answer fork(const std::string& run, const QByteArray& body) const {
    return post("/api/runs/" + run + "/fork", body);
  }
  static std::string error(const Answer& answer) { return answer.json.value("error", ""); }
  static std::size_t runs() { return storage::Catalogue(protocol::catalogue_path()).runs().size(); }

 private Q_SLOTS:
  void init() {
    newStore();
    stand_in("batchscope");  // a supervisor that ends at once
    install_toy();
    serve();
    toy = make(path("bin/toy"), {"--epochs", "5"});
  }

  // Whether it trains then is tried with real runs (page.fork).
  void aForkBeginsWithACopyOfTheCheckpoint() {
    const Answer answer = fork(toy, R"({"checkpoint":"checkpoint-000001","name":"branch","replicas":2})");
    VERIFY_HOLDS(error(answer), "the supervisor of run");
    storage::Catalogue catalogue(protocol::catalogue_path());
    const storage::Run run = catalogue.resolve("branch");
    QVERIFY(run.spec.program == path("bin/toy") && run.spec.replicas == 2);
    QCOMPARE(run.spec.arguments, (std::vector<std::string>{"--epochs", "5"}));
    QCOMPARE(protocol::verify_checkpoint(protocol::run_paths(run.id).checkpoints / "checkpoint-000001").step,
             std::int64_t(7));
  }

  void otherValuesOfTheRecipesFieldsBecomeArguments() {
    const Answer answer = fork(toy, R"({"name":"branch","values":{"epochs":"7","rule":"linear"}})");
    VERIFY_HOLDS(error(answer), "the supervisor of run");
    storage::Catalogue catalogue(protocol::catalogue_path());
    QCOMPARE(catalogue.resolve("branch").spec.arguments,
             (std::vector<std::string>{"--epochs", "7", "--rule", "linear"}));
    QCOMPARE(catalogue.run(toy)->spec.arguments, (std::vector<std::string>{"--epochs", "5"}));
  }

  // The owner's own are kept, though they are beyond the recipe's bounds, or free text.
  void valuesOfTheRunItselfStay() {
    const std::string odd = make(path("bin/toy"), {"--epochs", "500", "--data", "/mine"});
    const Json own = fork(odd, R"({"check":true})").json.at("values");
    QVERIFY(own.at("epochs") == "500" && !own.contains("data"));
    fork(odd, R"({"name":"same","values":{"epochs":"500","data":"/mine"}})");
    fork(odd, R"({"name":"other","values":{"rule":"linear"}})");
    storage::Catalogue catalogue(protocol::catalogue_path());
    QCOMPARE(catalogue.resolve("same").spec.arguments,
             (std::vector<std::string>{"--epochs", "500", "--data", "/mine"}));
    QCOMPARE(catalogue.resolve("other").spec.arguments,
             (std::vector<std::string>{"--epochs", "500", "--rule", "linear", "--data", "/mine"}));
  }

  void whatIsWrongIsToldByItsField_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QString>("field");
    const auto row = [](const char* field, const char* body) {
      QTest::newRow(body) << QByteArray(body) << field;
    };
    row("values.epochs", R"({"values":{"epochs":"10"}})");
    row("values.epochs", R"({"values":{"epochs":"many"}})");
    row("values.rule", R"({"values":{"rule":"square"}})");
    row("values.data", R"({"values":{"data":"/etc"}})");
    row("values.program", R"({"values":{"program":"/bin/sh"}})");
    row("name", R"({"name":""})");
    row("replicas", R"({"replicas":0,"values":{"epochs":"7"}})");
  }
  void whatIsWrongIsToldByItsField() {
    QFETCH(QByteArray, body);
    QFETCH(QString, field);
    const Answer answer = fork(toy, body);
    QVERIFY2(answer.status == 400, answer.all.constData());
    QVERIFY2(answer.json.at("fields").contains(field.toStdString()), answer.all.constData());
    const Answer check = fork(toy, QByteArray(body).insert(1, R"("check":true,)"));
    QCOMPARE(check.status, 200);
    QCOMPARE(text(check.json.at("fields")), text(answer.json.at("fields")));
    QCOMPARE(runs(), std::size_t(1));
  }

  void aCheckStartsNothing() {
    const Answer answer = fork(toy, R"({"check":true})");
    QVERIFY2(answer.status == 200, answer.all.constData());
    QVERIFY(answer.json.at("run").is_null() && answer.json.at("fields").empty());
    QVERIFY(answer.json.at("recipe") == "toy" && answer.json.at("values").at("epochs") == "5");
    QCOMPARE(runs(), std::size_t(1));
  }

  // Though a resume would start them: a second copy of an unknown program may write over what the first
  // wrote.
  void runsOfOtherProgramsAreRefused() {
    const std::string other = make("/bin/true", {}),
                      arguments = make(path("bin/toy"), {"--epochs", "3", "-x"}),
                      unknown = make(path("bin/toy"), {"--folder", "/etc"});
    storage::Catalogue catalogue(protocol::catalogue_path());
    protocol::RunSpec spec = catalogue.run(other)->spec;
    spec.recipe = path("bin/recipes/toy/recipe.toml");  // says that it is the recipe's
    catalogue.set_spec(other, spec);
    for (const std::string& run : {other, arguments, unknown}) {
      const Answer answer = fork(run, "{}");
      QVERIFY2(answer.status == 409, answer.all.constData());
      VERIFY_HOLDS(error(answer), "in a terminal: batchscope fork " + run);
      QCOMPARE(fork(run, R"({"check":true})").status, 409);
    }
    QCOMPARE(runs(), std::size_t(4));
  }

  void aRunFromElsewhereIsRefused() {
    storage::Catalogue catalogue(protocol::catalogue_path());
    const storage::RunRecord record = catalogue.record(toy);
    catalogue.remove_run(toy);
    const std::vector<storage::RecordPart> parts{{.record = record}};
    storage::Origins(protocol::catalogue_path())
        .take(toy, {.host = "cluster", .folder = "/scratch/" + toy, .followed = false}, parts);
    QCOMPARE(fork(toy, "{}").status, 409);
    QCOMPARE(runs(), std::size_t(1));
  }

  void nonsenseIsRefused_data() {
    testing::rows<QByteArray>("body", {"",
                                       "[]",
                                       "3",
                                       R"({"program":"/bin/sh"})",
                                       R"({"arguments":["--epochs","9"]})",
                                       R"({"environment":{"LD_PRELOAD":"x"}})",
                                       R"({"working_directory":"/"})",
                                       R"({"check":1})",
                                       R"({"replicas":0})",
                                       R"({"replicas":"2"})",
                                       R"({"replicas":1.5})",
                                       R"({"replicas":null})",
                                       R"({"replicas":18446744073709551615})",
                                       R"({"name":""})",
                                       R"({"name":3})",
                                       R"({"name":"a\nb"})",
                                       R"({"name":"latest"})",
                                       R"({"checkpoint":3})",
                                       R"({"values":[]})",
                                       R"({"values":{"epochs":7}})",
                                       R"({"values":"--epochs 7"})"});
  }
  void nonsenseIsRefused() {
    QFETCH(QByteArray, body);
    const Answer answer = fork(toy, body);
    QVERIFY2(answer.status == 400, answer.all.constData());
    QVERIFY(!error(answer).empty());
    QCOMPARE(runs(), std::size_t(1));
  }

  void noOtherFolderIsACheckpoint() {
    fs::create_directories(path("mine"));
    for (const std::string& checkpoint :
         {std::string("checkpoint-000009"), std::string("../checkpoints/checkpoint-000001"), path("mine"),
          std::string(".")}) {
      const Answer answer = fork(toy, QByteArray::fromStdString(Json{{"checkpoint", checkpoint}}.dump()));
      QVERIFY2(answer.status == 404, answer.all.constData());
      VERIFY_HOLDS(error(answer), "there are checkpoint-000001");
    }
    QCOMPARE(fork("aaaaaaaa", "{}").status, 404);
    QCOMPARE(fork("..%2f..", "{}").status, 404);
    QCOMPARE(get("/api/runs/" + toy + "/fork").status, 405);
    QCOMPARE(runs(), std::size_t(1));
  }

  void whoMayNotControlForksNothing() {
    const std::string target = "/api/runs/" + toy + "/fork";
    const QByteArray reader = QByteArray::fromStdString(give_token("anna").secret);
    const QByteArray revoked = QByteArray::fromStdString(give_token("ben:control").secret);
    const QByteArray link = QByteArray::fromStdString(give_link(toy, 3600).secret);
    revoke_token("ben");
    const QByteArray owner = QByteArray::fromStdString(server->token());
    QCOMPARE(post_by(reader, target, "{}").status, 403);
    QCOMPARE(post_by(link, target, "{}").status, 403);
    QCOMPARE(post_by(revoked, target, "{}").status, 401);
    QCOMPARE(post_by("", target, "{}").status, 401);
    QCOMPARE(post_by(owner, target, "{}", "Origin: http://evil.example\r\n").status, 403);
    QCOMPARE(post_by(owner, target, "{}", "Sec-Fetch-Site: cross-site\r\n").status, 403);
    serve({.read_only = true});
    QCOMPARE(fork(toy, "{}").status, 403);
    QCOMPARE(runs(), std::size_t(1));
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestForks)
#include "test_forks.moc"
