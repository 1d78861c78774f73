// SPDX-License-Identifier: Apache-2.0
//
// Access: another site's page, a name that was bound to our address, and another user of the machine are kept
// out.
#include "access/access.h"

#include <QTest>

#include "test_case.h"

namespace batchscope::web {

using http::Fault, http::Request;

class TestAccess : public QObject {
  Q_OBJECT

  static constexpr char kToken[] = "0123456789abcdef0123456789abcdef";
  const Access access{kToken, {"lab7", "192.168.1.7", "fe80::1"}, false};

  static Request request(const std::string& method, const std::string& target,
                         const std::map<std::string, std::string>& fields) {
    std::string text = method + " " + target + " HTTP/1.1\r\n";
    for (const auto& [name, value] : fields) text += name + ": " + value + "\r\n";
    return http::RequestReader().feed(text + "\r\n").value();
  }
  // 0: it gets in.
  static int refusal(const Access& access, const Request& request) {
    try {
      access.check(request);
    } catch (const Fault& fault) {
      return fault.status;
    }
    return 0;
  }
  int get(const std::string& target, const std::map<std::string, std::string>& fields) const {
    return refusal(access, request("GET", target, fields));
  }
  // Posts as the page does, whose cookie the browser sends along, but for what is said otherwise.
  int post(std::map<std::string, std::string> fields) const {
    std::map<std::string, std::string> usual{{"Host", "localhost:8471"},
                                             {"Cookie", std::string("batchscope-session-8471=") + kToken},
                                             {"Origin", "http://localhost:8471"},
                                             {"Sec-Fetch-Site", "same-origin"},
                                             {"Content-Type", "application/json"}};
    for (const auto& [name, value] : fields) usual[name] = value;
    std::erase_if(usual, [](const auto& field) { return field.second.empty(); });
    return refusal(access, request("POST", "/api/runs/3f9a12bc/control", usual));
  }

 private Q_SLOTS:
  void theTokenIsTakenFromThreePlaces() {
    const std::string token = kToken;
    QCOMPARE(get("/api/runs", {{"Host", "localhost"}, {"Authorization", "Bearer " + token}}), 0);
    QCOMPARE(get("/", {{"Host", "localhost:8471"}, {"Cookie", "a=b; batchscope-session-8471=" + token}}), 0);
    QCOMPARE(get("/?token=" + token, {{"Host", "localhost"}}), 0);
    QCOMPARE(refusal(access, request("POST", "/api/x?token=" + token, {{"Host", "localhost"}})), 401);
  }

  void withoutItNobodyGetsIn() {
    const std::string token = kToken;
    for (const std::map<std::string, std::string>& fields : std::vector<std::map<std::string, std::string>>{
             {},
             {{"Authorization", "Bearer "}},
             {{"Authorization", "Bearer " + token.substr(1)}},
             {{"Authorization", "Bearer " + token + token}},
             {{"Authorization", "Basic " + token}},
             {{"Authorization", token}},
             {{"Cookie", "batchscope-session=" + token}},
             {{"Cookie", "batchscope-session-9999=" + token}},
             {{"Cookie", "xbatchscope-session-8471=" + token}},
             {{"Cookie", "batchscope-session-8471"}},
             {{"Cookie", "batchscope-session-8471=" + token + "0"}}}) {
      auto all = fields;
      all["Host"] = "localhost:8471";
      QCOMPARE(get("/api/runs", all), 401);
      QCOMPARE(get("/", all), 401);
    }
    QCOMPARE(get("/?token=", {{"Host", "localhost"}}), 401);
    QCOMPARE(get("/?token=" + token + "&", {{"Host", "localhost"}}), 0);
  }

  void secretsAreCompared() {
    QVERIFY(same_secret("abc", "abc"));
    for (const char* other : {"", "ab", "abd", "abcabc", "abca", "xbc"}) QVERIFY(!same_secret("abc", other));
  }

  void aNameThatWasReboundIsRefused_data() {
    QTest::addColumn<QByteArray>("host");
    QTest::addColumn<bool>("known");
    for (const char* host : {"localhost", "LOCALHOST:8471", "127.0.0.1:1", "[::1]:8471", "[::1]", "lab7",
                             "lab7:443", "192.168.1.7:8471", "[fe80::1]:8471"})
      QTest::newRow(host) << QByteArray(host) << true;
    for (const char* host :
         {"", "evil.example", "evil.example:8471", "localhost.evil.example", "127.0.0.1.evil.example",
          "localhost:8471.evil.example:1", "127.0.0.2", "[::2]", "[::1", "::1", "0.0.0.0", "lab77"})
      QTest::newRow(*host == '\0' ? "none" : host) << QByteArray(host) << false;
  }
  void aNameThatWasReboundIsRefused() {
    QFETCH(QByteArray, host);
    QFETCH(bool, known);
    const int status =
        get("/", {{"Host", host.toStdString()}, {"Authorization", std::string("Bearer ") + kToken}});
    QCOMPARE(status, known ? 0 : 421);
  }

  void aPagesOwnPostIsTaken() {
    QCOMPARE(post({}), 0);
    QCOMPARE(post({{"Origin", ""}, {"Sec-Fetch-Site", ""}}), 0);  // of a script
    QCOMPARE(post({{"Origin", "https://localhost:8471"}}), 0);    // behind who speaks TLS for us
    QCOMPARE(post({{"Content-Type", "application/json; charset=utf-8"}}), 0);
  }

  void anotherSitesPostIsRefused() {
    for (const char* origin : {"http://evil.example", "null", "http://localhost:9999", "http://localhost",
                               "http://localhost:8471.evil.example", "ftp://localhost:8471"})
      QCOMPARE(post({{"Origin", origin}}), 403);
    for (const char* site : {"cross-site", "same-site", "Same-Origin "})
      QCOMPARE(post({{"Sec-Fetch-Site", site}}), 403);
    for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""})
      QCOMPARE(post({{"Content-Type", type}}), 415);
  }

  void anotherSitesPageReadsNothing() {
    const std::string cookie = std::string("batchscope-session-8471=") + kToken;
    for (const char* site : {"cross-site", "same-site"}) {
      QCOMPARE(get("/api/runs", {{"Host", "localhost:8471"}, {"Cookie", cookie}, {"Sec-Fetch-Site", site}}),
               403);
      QCOMPARE(get("/run/1", {{"Host", "localhost:8471"}, {"Cookie", cookie}, {"Sec-Fetch-Site", site}}), 0);
    }
  }

  void whoMayOnlyLookChangesNothing() {
    const Access looking(kToken, {}, true);
    const auto change = request("POST", "/api/runs/3f9a12bc/control",
                                {{"Host", "localhost"},
                                 {"Authorization", std::string("Bearer ") + kToken},
                                 {"Content-Type", "application/json"}});
    QCOMPARE(refusal(looking, change), 403);
    QCOMPARE(refusal(access, change), 0);
  }

  void anotherMethodIsRefused() {
    for (const char* method : {"PUT", "DELETE", "OPTIONS", "TRACE", "get"})
      QCOMPARE(refusal(access, request(method, "/", {{"Host", "localhost"}})), 405);
  }

  void theTokenLeavesTheAddress() {
    const auto entrance = [&](const std::string& target) {
      const Request entering = request("GET", target, {{"Host", "localhost:8471"}});
      return access.entrance(entering, {"", Right::control, kToken});
    };
    const auto field = [](const http::Response& response, const std::string& name) {
      for (const auto& [each, value] : response.fields)
        if (each == name) return value;
      return std::string();
    };
    const auto first = entrance(std::string("/run/a%20b?x=time&token=") + kToken + "&smooth=0.5");
    QVERIFY(first);
    QCOMPARE(first->status, 303);
    QCOMPARE(field(*first, "Location"), std::string("/run/a%20b?x=time&smooth=0.5"));
    const std::string cookie = field(*first, "Set-Cookie");
    QVERIFY(cookie.starts_with(std::string("batchscope-session-8471=") + kToken + ";"));
    for (const char* word : {"HttpOnly", "SameSite=Lax", "Path=/"})
      QVERIFY2(cookie.find(word) != std::string::npos, cookie.c_str());
    QVERIFY(cookie.find("Secure") == std::string::npos);
    QCOMPARE(field(*entrance(std::string("/?token=") + kToken), "Location"), std::string("/"));
    QVERIFY(!entrance("/run/3f9a12bc"));
  }

  void byTlsTheCookieIsSecure() {
    const Access secure(kToken, {}, false, true);
    const auto entrance = secure.entrance(
        request("GET", std::string("/?token=") + kToken, {{"Host", "lab7"}}), {"", Right::control, kToken});
    QVERIFY(entrance->fields.back().second.find("; Secure") != std::string::npos);
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestAccess)
#include "test_access.moc"
