// SPDX-License-Identifier: Apache-2.0
//
// Every verb of the page, asked by everybody who may not: one table of requests, one of callers. API.md names
// the verbs, and none of it may be missing here.
#include <QRegularExpression>
#include <set>

#include "batchscope/web/tokens.h"
#include "web_fixture.h"

namespace batchscope::web {

class TestVerbs : public WebTest {
  Q_OBJECT

  std::string run, job;

  // The body would be carried out, or checked, if its caller were the owner.
  struct Verb {
    std::string target;
    QByteArray body;
  };
  std::vector<Verb> verbs() const {
    const std::string of_run = "/api/runs/" + run;
    return {
        {of_run + "/control", R"({"command":"stop"})"},
        {of_run + "/control", R"({"command":"rescale","devices":["cpu:0"]})"},
        {of_run + "/link", "{}"},
        {of_run + "/fork", R"({"values":{"epochs":"5"}})"},
        {of_run + "/edit", R"({"set":{"name":"theirs"}})"},
        {of_run + "/trash", R"({"removed":true})"},
        {"/api/runs", R"({"recipe":"toy"})"},
        {"/api/queue", R"({"recipe":"toy"})"},
        {"/api/queue/" + job, R"({"command":"cancel"})"},
        {"/api/pool", R"({"paused":true})"},
        {"/api/sweeps",
         R"({"recipe":"toy","name":"theirs","metric":"loss","goal":"min","method":"random","trials":2,"search":{"epochs":{"values":["1","2"]}}})"},
        {"/api/sweeps/mine", R"({"command":"stop"})"},
        {"/api/lessons/1-gain", "{}"}};
  }

  // A change of any kind would show in it.
  std::string state() const {
    std::string all;
    for (const char* list : {"/api/runs", "/api/runs?trash=1", "/api/sweeps"}) all += text(get(list).json);
    const Json queue = get("/api/queue").json;
    for (const Json& each : queue.at("queue"))
      all += text({each.at("run"), each.at("state"), each.at("priority"), each.at("held")});
    return all + text(queue.at("pool").at("paused"));
  }

 private Q_SLOTS:
  void init() {
    newStore();
    stand_in("batchscope");
    stand_in("batchscope-pool");
    install_toy();
    run = make_run("one");
    serve();
    job = post("/api/queue", R"({"recipe":"toy","held":true})").json.at("run");
  }

  void everyVerbIsHere() {
    QRegularExpression address(QStringLiteral("POST /api/([A-Za-z]+)(/(?:ID|NAME)(/[a-z]+)?)?"));
    std::set<QString> documented, tried;
    const auto collect = [](QRegularExpressionMatchIterator found, std::set<QString>& all) {
      while (found.hasNext()) {
        const QRegularExpressionMatch match = found.next();
        all.insert(match.captured(1) + (match.captured(2).isEmpty() ? "" : "/*") + match.captured(3));
      }
    };
    collect(address.globalMatch(QString::fromStdString(testing::contents(API_DOCUMENT))), documented);
    for (const Verb& verb : verbs()) {
      const QString target =
          QString::fromStdString(verb.target)
              .replace(QRegularExpression("/(?:" + QString::fromStdString(run + "|" + job) + "|mine|1-gain)"),
                       "/ID");
      collect(address.globalMatch("POST " + target), tried);
    }
    QVERIFY(documented.size() > 8);
    for (const QString& each : documented) QVERIFY2(tried.contains(each), qPrintable(each));
  }

  void whoMayNotControlChangesNothing() {
    const QByteArray owner = QByteArray::fromStdString(server->token());
    const QByteArray reader = QByteArray::fromStdString(give_token("anna").secret);
    const QByteArray link = QByteArray::fromStdString(give_link(run, 3600).secret);
    const QByteArray revoked = QByteArray::fromStdString(give_token("ben:control").secret);
    revoke_token("ben");
    struct Caller {
      const char* who;
      QByteArray secret, fields;
      int status;
    };
    const Caller callers[] = {{"a token for looking", reader, "", 403},
                              {"a link", link, "", 403},
                              {"a token that was revoked", revoked, "", 401},
                              {"nobody", "", "", 401},
                              {"another site's page", owner, "Origin: http://evil.example\r\n", 403},
                              {"a page without an origin", owner, "Origin: null\r\n", 403},
                              {"another port's page", owner, "Origin: http://localhost:1\r\n", 403},
                              {"another site's script", owner, "Sec-Fetch-Site: cross-site\r\n", 403},
                              {"a neighbour's script", owner, "Sec-Fetch-Site: same-site\r\n", 403}};
    const std::string before = state();
    for (const Verb& verb : verbs()) {
      for (const Caller& caller : callers) {
        const Answer answer = post_by(caller.secret, verb.target, verb.body, caller.fields);
        QVERIFY2(answer.status == caller.status, (verb.target + ": " + caller.who).c_str());
      }
      const Answer form = send(head("POST", verb.target) + "Content-Type: text/plain\r\nContent-Length: " +
                               QByteArray::number(verb.body.size()) + "\r\n\r\n" + verb.body);
      QVERIFY2(form.status == 415, verb.target.c_str());
    }
    QCOMPARE(state(), before);
    serve({.read_only = true});
    for (const Verb& verb : verbs())
      QVERIFY2(post(verb.target, verb.body).status == 403, verb.target.c_str());
    QCOMPARE(state(), before);
  }

  // Else the table would prove nothing.
  void theOwnerIsNotKeptOut() {
    const std::set<int> kept_out{401, 403, 405, 415, 421};
    for (const Verb& verb : verbs()) {
      const Answer answer = post(verb.target, verb.body);
      QVERIFY2(!kept_out.contains(answer.status), (verb.target + " " + answer.all.toStdString()).c_str());
    }
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestVerbs)
#include "test_verbs.moc"
