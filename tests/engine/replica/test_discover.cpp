// SPDX-License-Identifier: Apache-2.0
//
// Rank 0's address, asked of a scheduler that knows it, does not know it yet, refuses, talks nonsense, is of
// another version, or is not there.
#include "collective/discover.h"

#include <atomic>
#include <future>
#include <string>
#include <vector>

#include "collective/socket.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using namespace batchscope::testing;
using namespace std::chrono_literals;

namespace {

Deadline soon() { return std::chrono::steady_clock::now() + 20s; }

std::string answer(const std::string& status, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n\r\n" + body;
}

// Answers one connection after the other; none where the answer is empty: it hangs up.
class Scheduler {
 public:
  explicit Scheduler(std::vector<std::string> answers) {
    url_ = "http://" + listener_.address().substr(4) + "/token";
    served_ = std::async(std::launch::async, [this, answers] {
      std::string asked;
      for (const std::string& text : answers) {
        Socket socket = listener_.accept(soon());
        std::string request;
        for (char byte = 0; !request.ends_with("\r\n\r\n"); request += byte)
          if (socket.receive(&byte, 1, soon()) != Transfer::done) return asked;
        asked += request.substr(0, request.find('\r')) + "\n";
        if (!text.empty()) socket.send(text, soon());
      }
      return asked;
    });
  }

  protocol::Environment environment() const {
    protocol::Environment environment;
    environment.supervisor_url = url_;
    environment.job_id = "default/job";
    environment.num_restarts = 3;
    return environment;
  }
  std::string asked() { return served_.get(); }

 private:
  Listener listener_{"tcp:127.0.0.1"};
  std::string url_;
  std::future<std::string> served_;
};

}  // namespace

class TestDiscover : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void itAsksUntilTheSchedulerKnows() {
    Scheduler scheduler({answer("408 Request Timeout", ""), "", answer("503 Unavailable", "restarting"),
                         answer("200 OK", R"(["10.0.0.7", "10.0.0.8"])")});
    // After 50, 100 and 200 ms: later it would ask each two seconds.
    QCOMPARE(discover_master(scheduler.environment(), 3s), std::string("10.0.0.7"));
    const std::string line = "GET /token/discover/default/job/3 HTTP/1.0\n";
    QCOMPARE(scheduler.asked(), line + line + line + line);
  }

  // The error has the last that was heard, and few questions were asked.
  void whoNeverKnowsIsNotAskedForEver() {
    Listener listener("tcp:127.0.0.1");
    protocol::Environment environment;
    environment.supervisor_url = "http://" + listener.address().substr(4);
    std::atomic<bool> is_over = false;
    auto served = std::async(std::launch::async, [&] {
      int asked = 0;
      while (!is_over) {
        Socket socket = listener.accept(std::chrono::steady_clock::now() + 10ms);
        if (!socket.open()) continue;
        ++asked;
        std::string request;
        for (char byte = 0; !request.ends_with("\r\n\r\n"); request += byte)
          if (socket.receive(&byte, 1, soon()) != Transfer::done) break;
        socket.send(answer("500 Internal Server Error", "restarting"), soon());
      }
      return asked;
    });
    const std::string thrown = thrown_by([&] { discover_master(environment, 300ms); });
    is_over = true;
    const int asked = served.get();
    VERIFY_HOLDS(thrown, "timeout: ", "did not come within 0.3 s: it answers 500");
    QVERIFY2(asked >= 2 && asked <= 4, qPrintable(QString::number(asked)));
    // Nor is one waited for that says nothing.
    VERIFY_THROWS("timeout", "did not come within 0.05 s: ", discover_master(environment, 50ms));
  }

  void whatIsNoAddressIsNotBelieved_data() {
    rows("body",
         {"", "null", "{}", "[]", "[7]", R"([""])", R"(["10.0.0.7 evil"])", R"(["a/b"])", "[\"a\\n\"]"});
  }
  void whatIsNoAddressIsNotBelieved() {
    QFETCH(QString, body);
    Scheduler scheduler({answer("200 OK", body.toStdString())});
    VERIFY_THROWS("failure", "/discover/default/job/3: expected the replicas' addresses",
                  discover_master(scheduler.environment(), 20s));
  }

  void aRefusalIsFinal() {
    Scheduler scheduler({answer("404 Not Found", "no such job")});
    VERIFY_THROWS("failure", "/token/discover/default/job/3: refused with 404: no such job",
                  discover_master(scheduler.environment(), 20s));
  }

  void ofALongAnswerTheBeginningIsTold() {
    const std::string begin = "a" + std::string(98, 'b') + "c", body = begin + std::string(100, 'd');
    Scheduler refuses({answer("404 Not Found", body)}), babbles({answer("200 OK", body)});
    const auto thrown = [](const Scheduler& scheduler) {
      return thrown_by([&] { discover_master(scheduler.environment(), 20s); });
    };
    QVERIFY(thrown(refuses).ends_with("/discover/default/job/3: refused with 404: " + begin));
    QVERIFY(thrown(babbles).ends_with("not '" + begin + "'"));
  }

  void whoIsNotThereIsNamedWhenTheTimeIsOver() {
    protocol::Environment environment;
    {
      Scheduler gone({});
      environment = gone.environment();
    }
    VERIFY_THROWS("timeout", "did not come within 0.2 s: cannot connect to",
                  discover_master(environment, 200ms));
    environment.supervisor_url = "https://host";
    VERIFY_THROWS("usage", "expected http://HOST:PORT/PATH", discover_master(environment, 200ms));
  }

  void theVersionIsComparedAsAdaptdlDoes() {
    for (const char* version : {"", "0.0.0", "0.3.0", "0.2.11", "none", "1", "1.0", "2.0.x"}) {
      Scheduler scheduler({answer("200 OK", R"(["n1"])")});
      auto environment = scheduler.environment();
      environment.sched_version = version;
      QCOMPARE(discover_master(environment, 20s), std::string("n1"));
    }
    protocol::Environment environment;
    environment.sched_version = "1.0.0";
    VERIFY_THROWS("usage", "ADAPTDL_SCHED_VERSION=1.0.0: this engine speaks the protocol of AdaptDL 0.x",
                  discover_master(environment, 20s));
  }
};

BATCHSCOPE_TEST(TestDiscover)
#include "test_discover.moc"
