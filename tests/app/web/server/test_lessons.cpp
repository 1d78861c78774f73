// SPDX-License-Identifier: Apache-2.0
//
// Lessons as the server tells them: without their recorded runs, and who may take these in.
#include "batchscope/web/tokens.h"
#include "web_fixture.h"

namespace batchscope::web {

class TestWebLessons : public WebTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    newStore();
    serve();
  }

  void allOfThemAreListedInTheirOrder() {
    const Json lessons = get("/api/lessons").json.at("lessons");
    QVERIFY(lessons.size() >= 11);
    QVERIFY(lessons.front().at("name") == "1-gain" && lessons[9].at("name") == "10-sweep");
    QVERIFY(lessons.front().at("pages") == 5);
    for (const Json& lesson : lessons)
      QCOMPARE(get("/api/lessons/" + lesson.at("name").get<std::string>()).status, 200);
  }

  void withoutItsRunAPageHasNoNumbers() {
    const Json lesson = get("/api/lessons/1-gain").json;
    QVERIFY(lesson.at("runs").at("gain").is_null());
    const Json& page = lesson.at("pages")[1];
    QVERIFY(page.at("text").get<std::string>().find("the gain is **…**") != std::string::npos);
    QCOMPARE(text(page.at("stage")),
             std::string(R"({"axis":"step","cursor":20,"highlight":"gain","run":"gain","show":"charts",)"
                         R"("zoom":[1.0,200.0]})"));
    QCOMPARE(page.at("choices").size(), std::size_t(3));
    QVERIFY(lesson.at("pages")[4].at("launch").at("command") ==
            "batchscope run --recipe linear_regression --set epochs=10 --set micro-batches=16");
  }

  void noOtherNameIsALesson() {
    for (const char* name : {"nosuch", "..%2F1-gain", "%2Fetc%2Fpasswd"}) {
      QCOMPARE(get(std::string("/api/lessons/") + name).status, 404);
      QCOMPARE(post(std::string("/api/lessons/") + name, "{}").status, 404);
    }
    QCOMPARE(post("/api/lessons", "{}").status, 405);
  }

  void whoMayNotControlTakesNothingIn() {
    const NamedToken looking = give_token("anna");
    QCOMPARE(post_by(QByteArray::fromStdString(looking.secret), "/api/lessons/1-gain", "{}").status, 403);
    serve({.read_only = true});
    QCOMPARE(post("/api/lessons/1-gain", "{}").status, 403);
    QVERIFY(get("/api/lessons/1-gain").json.at("runs").at("gain").is_null());
  }

  void twoRunsShareDevices() {
    const std::string first = make_run("wide", 4), second = make_run("narrow", 4);
    const Json sharing = get("/api/sharing?runs=" + first + "," + second + "&devices=4").json;
    QVERIFY((sharing.at("names") == Json{"wide", "narrow"}));
    QCOMPARE(sharing.at("splits").size(), std::size_t(5));
    QVERIFY(sharing.at("choices")[0].at("name") == "Even" && sharing.at("choices")[0].at("first") == 2);
    const Json& rows = sharing.at("splits")[1].at("rows");
    QVERIFY(rows[0][0] == "1" && rows[1][0] == "3" && rows[2][0] == "4");
    QVERIFY(sharing.at("splits")[1].at("figure").at("series").size() == 6);
    for (const std::string& query :
         {first, first + "," + first + "," + first, first + "," + second + "&devices=3",
          first + "," + second + "&devices=66", first + "," + second + "&devices=0"})
      QVERIFY2(get("/api/sharing?runs=" + query).status == 400, query.c_str());
    QCOMPARE(get("/api/sharing?runs=" + first + ",nosuch00").status, 404);
  }

  void aRecordedRunIsTakenInOnce() {
    if (qEnvironmentVariableIsEmpty("BATCHSCOPE_BIN") ||
        !std::filesystem::exists(qgetenv("BATCHSCOPE_BIN").toStdString() + "/batchscope"))
      QSKIP("batchscope is not built");
    const Json first = post("/api/lessons/1-gain", "{}").json;
    const std::string run = first.at("runs").at("gain");
    QVERIFY(first.at("pages")[1].at("text").get<std::string>().find("…") == std::string::npos);
    QVERIFY(post("/api/lessons/1-gain", "{}").json.at("runs").at("gain") == run);
    QVERIFY(get("/api/runs").json.at("total") == 0);
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestWebLessons)
#include "test_lessons.moc"
