// SPDX-License-Identifier: Apache-2.0
//
// New sweeps from a page: of recipes that are installed, with checked ranges, and of nothing else.
#include "batchscope/storage/sweeps.h"
#include "batchscope/web/tokens.h"
#include "rows.h"
#include "thrown.h"
#include "web_fixture.h"

namespace batchscope::web {

class TestNewSweep : public WebTest {
  Q_OBJECT

  Answer begin(const Json& body) const { return post("/api/sweeps", QByteArray::fromStdString(body.dump())); }
  static std::vector<storage::Sweep> sweeps() {
    storage::Catalogue catalogue(protocol::catalogue_path());
    return storage::Sweeps(catalogue).all();
  }
  // A sweep of the toy that begins as it is.
  static Json wish() {
    return {{"recipe", "toy"},
            {"name", "epochs"},
            {"metric", "loss"},
            {"goal", "min"},
            {"method", "random"},
            {"trials", 4},
            {"replicas", "1"},
            {"values", {{"quiet", "true"}, {"rule", "adascale"}}},
            {"search", {{"epochs", {{"min", "2"}, {"max", "8"}, {"scale", "linear"}}}}}};
  }
  static Json with(const char* field, Json value) {
    Json changed = wish();
    changed[field] = std::move(value);
    return changed;
  }

 private Q_SLOTS:
  void init() {
    newStore();
    stand_in("batchscope-pool");
    stand_in("batchscope-sweep");
    install_toy();
    serve();
  }

  void aSweepBeginsAsItWasDescribed() {
    const Answer answer = begin(wish());
    QVERIFY2(answer.status == 200, answer.all.constData());
    QVERIFY(answer.json.at("sweep").at("name") == "epochs");
    QVERIFY(answer.json.at("sweep").at("trials").at("wanted") == 4);
    const storage::Sweep sweep = sweeps().at(0);
    QVERIFY(sweep.state == storage::SweepState::running && sweep.message.empty());
    VERIFY_HOLDS(sweep.file, "recipe = \"toy\"", "metric = \"loss\"", "goal = \"min\"",
                 "[parameter.epochs]\nmin = 2\nmax = 8", "[parameter.quiet]\nvalue = \"true\"");
    QVERIFY(sweep.file.find("parameter.rule") == std::string::npos);  // the recipe's own value
    QCOMPARE(sweep.spec.program, path("bin/toy"));
    QVERIFY(!sweep.spec.auto_replicas && sweep.spec.replicas == 1);
    QCOMPARE(begin(wish()).status, 409);  // there is one of this name
  }

  void seedsAndEarlyStoppingAreWrittenIntoItsFile() {
    Json body = with("stop", {{"kind", "asha"}, {"min", "200"}, {"max", "1800"}, {"eta", "2"}});
    QVERIFY2(begin(body).status == 200, begin(body).all.constData());
    VERIFY_HOLDS(sweeps().at(0).file, "[stop]\nkind = \"asha\"\nmin = 200", "max = 1800", "eta = 2");
    body = with("stop", {{"kind", "none"}, {"min", "200"}});
    body["name"] = "to-the-end";
    QCOMPARE(begin(body).status, 200);
    for (const storage::Sweep& sweep : sweeps())
      if (sweep.name == "to-the-end") QVERIFY(sweep.file.find("stop") == std::string::npos);
  }

  void aListOfValuesIsSearchedByAGrid() {
    Json body = with("search", {{"rule", {{"values", {"adascale", "linear"}}}}});
    body["method"] = "grid";
    body.erase("trials");
    const Answer answer = begin(body);
    QVERIFY2(answer.status == 200, answer.all.constData());
    QVERIFY(answer.json.at("sweep").at("trials").at("wanted") == 2);
  }

  void whoHasBegunItIsSaid() {
    const QByteArray ben = QByteArray::fromStdString(give_token("ben:control").secret);
    QCOMPARE(post_by(ben, "/api/sweeps", QByteArray::fromStdString(wish().dump())).status, 200);
    QCOMPARE(sweeps().at(0).message, std::string("begun by ben"));
  }

  void whatIsWrongIsToldByItsField_data() {
    QTest::addColumn<Json>("body");
    QTest::addColumn<std::string>("field");
    const auto stop = [](Json rule) { return with("stop", std::move(rule)); };
    QTest::newRow("no seeds") << with("seeds", 0) << std::string("seeds");
    QTest::newRow("many seeds") << with("seeds", 101) << std::string("seeds");
    QTest::newRow("no parameter for seeds") << with("seeds", 2) << std::string("sweep");
    QTest::newRow("way of stopping") << stop({{"kind", "luck"}}) << std::string("stop.kind");
    QTest::newRow("no rule") << with("stop", "asha") << std::string("stop");
    QTest::newRow("first rung") << stop({{"kind", "asha"}, {"min", "0"}}) << std::string("stop.min");
    QTest::newRow("a number") << stop({{"kind", "asha"}, {"min", 200}}) << std::string("stop.min");
    QTest::newRow("last rung") << stop({{"kind", "asha"}, {"min", "9"}, {"max", "9"}})
                               << std::string("stop.max");
    QTest::newRow("no last rung") << stop({{"kind", "pbt"}, {"min", "9"}}) << std::string("stop.max");
    QTest::newRow("eta") << stop({{"kind", "asha"}, {"min", "9"}, {"eta", "1"}}) << std::string("stop.eta");
    const auto search = [](const Json& epochs) { return with("search", {{"epochs", epochs}}); };
    QTest::newRow("recipe") << with("recipe", "../toy") << std::string("recipe");
    QTest::newRow("name") << with("name", "a\nb") << std::string("name");
    QTest::newRow("path") << with("name", "a/b") << std::string("sweep");
    QTest::newRow("option") << with("name", "--help") << std::string("sweep");
    QTest::newRow("trials") << with("trials", 0) << std::string("trials");
    QTest::newRow("no trials") << with("trials", 1e9) << std::string("trials");
    QTest::newRow("goal") << with("goal", "best") << std::string("goal");
    QTest::newRow("method") << with("method", "luck") << std::string("method");
    QTest::newRow("metric") << with("metric", "") << std::string("metric");
    QTest::newRow("replicas") << with("replicas", "often") << std::string("replicas");
    QTest::newRow("value") << with("values", {{"rule", "other"}}) << std::string("values.rule");
    QTest::newRow("free text") << with("values", {{"data", "/etc"}}) << std::string("values.data");
    QTest::newRow("searched text") << with("search", {{"data", {{"values", {"/etc", "/usr"}}}}})
                                   << std::string("search.data");
    QTest::newRow("nothing searched") << with("search", Json::object()) << std::string("sweep");
    QTest::newRow("unknown") << with("search", {{"lr", {{"values", {"1", "2"}}}}})
                             << std::string("search.lr");
    QTest::newRow("out of bounds") << search({{"min", "2"}, {"max", "99"}}) << std::string("search.epochs");
    QTest::newRow("turned round") << search({{"min", "8"}, {"max", "2"}}) << std::string("search.epochs");
    QTest::newRow("fraction") << search({{"min", "1.5"}, {"max", "2"}}) << std::string("search.epochs");
    QTest::newRow("infinite") << search({{"min", "1"}, {"max", "inf"}}) << std::string("search.epochs");
    QTest::newRow("number") << search({{"min", 1}, {"max", 2}}) << std::string("search.epochs");
    QTest::newRow("no range") << search("often") << std::string("search.epochs");
    QTest::newRow("no values") << search({{"values", Json::array()}}) << std::string("search.epochs");
    QTest::newRow("range of words") << with("search", {{"rule", {{"min", "1"}, {"max", "2"}}}})
                                    << std::string("search.rule");
  }
  void whatIsWrongIsToldByItsField() {
    QFETCH(Json, body);
    QFETCH(std::string, field);
    const Answer answer = begin(body);
    QVERIFY2(answer.status == 400, answer.all.constData());
    QVERIFY2(answer.json.at("fields").contains(field), answer.all.constData());
    body["check"] = true;
    const Answer checked = begin(body);
    QCOMPARE(checked.status, 200);
    QCOMPARE(text(checked.json.at("fields")), text(answer.json.at("fields")));
    QVERIFY(sweeps().empty());
  }

  void nothingElseIsBegun_data() {
    testing::rows<QByteArray>(
        "body", {"", "[]", "{}", R"({"recipe":3})", R"({"recipe":"toy","values":[]})",
                 R"({"recipe":"toy","search":[]})", R"({"recipe":"toy","values":{"epochs":3}})",
                 R"({"recipe":"toy","program":"/bin/sh","search":{"epochs":{"values":["2","3"]}}})",
                 R"({"recipe":"toy","arguments":["-c"],"search":{"epochs":{"values":["2","3"]}}})",
                 R"({"recipe":"toy","stop":{"command":"x"},"search":{"epochs":{"values":["2","3"]}}})",
                 R"({"recipe":"toy","workplace":"{}","search":{"epochs":{"values":["2","3"]}}})"});
  }
  void nothingElseIsBegun() {
    QFETCH(QByteArray, body);
    const Answer answer = post("/api/sweeps", body);
    QVERIFY2(answer.status == 400, answer.all.constData());
    QVERIFY(sweeps().empty());
  }

  void whoMayNotControlBeginsNothing() {
    const QByteArray body = QByteArray::fromStdString(wish().dump());
    const QByteArray reader = QByteArray::fromStdString(give_token("anna").secret);
    const QByteArray revoked = QByteArray::fromStdString(give_token("ben:control").secret);
    const QByteArray link = QByteArray::fromStdString(give_link(make_run("a"), 3600).secret);
    revoke_token("ben");
    const QByteArray owner = QByteArray::fromStdString(server->token());
    QCOMPARE(post_by(reader, "/api/sweeps", body).status, 403);
    QCOMPARE(post_by(link, "/api/sweeps", body).status, 403);
    QCOMPARE(post_by(revoked, "/api/sweeps", body).status, 401);
    QCOMPARE(post_by("", "/api/sweeps", body).status, 401);
    QCOMPARE(post_by(owner, "/api/sweeps", body, "Origin: http://evil.example\r\n").status, 403);
    serve({.read_only = true});
    QCOMPARE(post("/api/sweeps", body).status, 403);
    QVERIFY(sweeps().empty());
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestNewSweep)
#include "test_new_sweep.moc"
