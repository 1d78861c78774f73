// SPDX-License-Identifier: Apache-2.0
//
// Names, groups, tags and notes that a page writes, and the trash.
#include "batchscope/web/tokens.h"
#include "fake_supervisor.h"
#include "rows.h"
#include "web_fixture.h"

namespace batchscope::web {

class TestEdits : public WebTest {
  Q_OBJECT

  std::string id;

  Answer edit(const Json& body) const {
    return post("/api/runs/" + id + "/edit", QByteArray::fromStdString(body.dump()));
  }
  Answer trash(bool removed) const {
    return post("/api/runs/" + id + "/trash", QByteArray::fromStdString(Json{{"removed", removed}}.dump()));
  }
  storage::Run run() const { return storage::Catalogue(protocol::catalogue_path()).run(id).value(); }

 private Q_SLOTS:
  void init() {
    newStore();
    id = make_run("one", 4);
    serve();
  }

  void theFieldsAreChangedAndTakenBack() {
    const Answer answer =
        edit({{"set", {{"name", "two"}, {"group", "g"}, {"tags", "a, b"}, {"note", "first\nsecond"}}}});
    QVERIFY2(answer.status == 200, answer.all.constData());
    QVERIFY(run().name == "two" && run().spec.group == "g" && run().note == "first\nsecond");
    QCOMPARE(run().tags, (std::vector<std::string>{"a", "b"}));
    const Json expected{{"name", "one"}, {"group", ""}, {"tags", ""}, {"note", ""}};
    QCOMPARE(text(answer.json.at("before")), text(expected));
    const Answer undone = edit({{"set", answer.json.at("before")}, {"was", answer.json.at("changed")}});
    QVERIFY2(undone.status == 200, undone.all.constData());
    QVERIFY(run().name == "one" && run().tags.empty() && run().note.empty() && run().spec.group.empty());
    QVERIFY(edit({{"set", {{"name", "one"}}}}).json.at("changed").empty());
  }

  void nobodysLaterWordIsTakenBack() {
    const Json first = edit({{"set", {{"note", "mine"}}}}).json;
    QCOMPARE(edit({{"set", {{"note", "theirs"}}}}).status, 200);
    const Answer refused = edit({{"set", first.at("before")}, {"was", first.at("changed")}});
    QCOMPARE(refused.status, 409);
    QCOMPARE(run().note, std::string("theirs"));
  }

  void nonsenseIsRefused_data() {
    testing::rows<QByteArray>(
        "body", {"", "[]", "3", R"({"set":[]})", R"({"set":{"name":3}})", R"({"set":{"name":""}})",
                 R"({"set":{"name":"latest"}})", R"({"set":{"name":"a\nb"}})",
                 R"({"set":{"state":"failed"}})", R"({"set":{"program":"/bin/sh"}})",
                 R"({"set":{"name":"good","tags":"a\nb"}})", R"({"set":{},"was":{"mine":"x"}})"});
  }
  void nonsenseIsRefused() {
    QFETCH(QByteArray, body);
    const Answer answer = post("/api/runs/" + id + "/edit", body);
    QVERIFY2(answer.status == 400, answer.all.constData());
    QCOMPARE(run().name, std::string("one"));
  }

  void aRunGoesIntoTheTrashAndComesBack() {
    QCOMPARE(trash(true).status, 200);
    QCOMPARE(get("/api/runs/" + id).status, 404);
    QCOMPARE(edit({{"set", {{"name", "two"}}}}).status, 404);
    QCOMPARE(trash(true).status, 404);
    QCOMPARE(trash(false).status, 200);
    QCOMPARE(get("/api/runs/" + id).status, 200);
    QCOMPARE(post("/api/runs/" + id + "/trash", "{}").status, 400);
    QCOMPARE(post("/api/runs/..%2f../trash", R"({"removed":false})").status, 404);
    QCOMPARE(get("/api/runs/" + id + "/trash").status, 405);
  }

  void theTrashIsListedTheLastRemovedFirst() {
    QVERIFY(get("/api/runs?trash=1").json.at("runs").empty());
    const std::string other = make_run("other", 4), stays = make_run("stays", 4);
    QCOMPARE(trash(true).status, 200);
    storage::Catalogue(protocol::catalogue_path()).move_to_trash(other);
    const Json all = get("/api/runs?trash=1&fold=1").json;
    QCOMPARE(all.at("total").get<int>(), 2);
    QVERIFY(all.at("runs")[0].at("id") == other && all.at("runs")[1].at("id") == id);
    QVERIFY(all.at("runs")[1].at("removed").get<double>() > 0 && all.at("days").get<int>() > 0);
    QCOMPARE(get("/api/runs?trash=1&where=name%3Done").json.at("runs")[0].at("id").get<std::string>(), id);
    QCOMPARE(get("/api/runs?trash=1&where=nothing%3D1").status, 400);
    const Json listed = get("/api/runs").json;
    QCOMPARE(listed.at("total").get<int>(), 1);
    QVERIFY(listed.at("runs")[0].at("id") == stays && listed.at("runs")[0].at("removed").is_null());
    QCOMPARE(trash(false).status, 200);
    QCOMPARE(get("/api/runs?trash=1").json.at("total").get<int>(), 1);
  }

  void aRunThatGoesOnStays() {
    id = make_run("two", 4, protocol::RunState::running);
    FakeSupervisor supervisor(id);
    QCOMPARE(trash(true).status, 409);
    QCOMPARE(get("/api/runs/" + id).status, 200);
  }

  void whoMayNotControlChangesNothing() {
    const QByteArray owner = QByteArray::fromStdString(server->token());
    const QByteArray reader = QByteArray::fromStdString(give_token("anna").secret);
    const QByteArray link = QByteArray::fromStdString(give_link(id, 3600).secret);
    for (const auto& [verb, body] :
         {std::pair("edit", R"({"set":{"name":"two"}})"), std::pair("trash", R"({"removed":true})")}) {
      const std::string target = "/api/runs/" + id + "/" + verb;
      QCOMPARE(post_by(reader, target, body).status, 403);
      QCOMPARE(post_by(link, target, body).status, 403);
      QCOMPARE(post_by("none", target, body).status, 401);
      QCOMPARE(post_by(owner, target, body, "Origin: http://evil.example\r\n").status, 403);
    }
    QVERIFY(run().name == "one" && run().removed == 0);
    QCOMPARE(trash(true).status, 200);
    const std::string target = "/api/runs/" + id + "/trash", back = R"({"removed":false})";
    QCOMPARE(post_by(reader, target, back.c_str()).status, 403);
    QCOMPARE(post_by("none", target, back.c_str()).status, 401);
    QVERIFY(run().removed > 0);
  }

  void whoHasAskedStandsAmongTheEvents() {
    const QByteArray ben = QByteArray::fromStdString(give_token("ben:control").secret);
    QCOMPARE(post_by(ben, "/api/runs/" + id + "/edit", R"({"set":{"name":"two"}})").status, 200);
    QCOMPARE(post_by(ben, "/api/runs/" + id + "/trash", R"({"removed":true})").status, 200);
    QCOMPARE(asked_for(id),
             (std::vector<std::string>{"new name, asked for by ben", "move to the trash, asked for by ben"}));
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestEdits)
#include "test_edits.moc"
