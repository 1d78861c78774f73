// SPDX-License-Identifier: Apache-2.0
//
// Sched hints on their way to a scheduler that takes them, refuses them, says nothing, or is not there.
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <string>
#include <thread>

#include "adapt/sched_hints_client.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/sched_hints.h"
#include "collective/socket.h"
#include "standard_error.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using namespace std::chrono_literals;

namespace {

Deadline receiver_deadline() { return std::chrono::steady_clock::now() + 20s; }

// Serves connections one after the other.
class HintsReceiver {
 public:
  std::string url() const { return "http://" + listener_.address().substr(4) + "/token"; }

  // One request, head and body, after which this is said and the connection closed.
  std::string serve(const std::string& answer) {
    Socket socket = listener_.accept(receiver_deadline());
    std::string request;
    while (request.find("\r\n\r\n") == std::string::npos) request += next(socket);
    const auto length = request.find("Content-Length: ");
    const std::size_t head = request.size();
    for (std::size_t left = std::stoul(request.substr(length + 16)); left > 0; --left)
      request += next(socket);
    body_ = request.substr(head);
    if (socket.send(answer, receiver_deadline()) != Transfer::done) return "the client left: " + request;
    return request;
  }
  const std::string& body() const { return body_; }
  Socket accept(Deadline deadline = receiver_deadline()) { return listener_.accept(deadline); }

 private:
  static char next(Socket& socket) {
    char byte = 0;
    if (socket.receive(&byte, 1, receiver_deadline()) != Transfer::done)
      throw std::runtime_error("no request came");
    return byte;
  }

  Listener listener_{"tcp:127.0.0.1"};
  std::string body_;
};

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

class TestSchedHintsClient : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void hintsArrive() {
    HintsReceiver scheduler;
    auto request = std::async(std::launch::async, [&] { return scheduler.serve("HTTP/1.1 200 OK\r\n\r\n"); });
    put_sched_hints(scheduler.url() + "/", "default/job", R"({"a":1})", 20s);
    const std::string text = request.get();
    QVERIFY2(text.starts_with("PUT /token/hints/default/job HTTP/1.0\r\nHost: 127.0.0.1:"), text.c_str());
    QCOMPARE(scheduler.body(), std::string(R"({"a":1})"));
  }

  void aRefusalIsTold() {
    HintsReceiver scheduler;
    auto request =
        std::async(std::launch::async, [&] { return scheduler.serve("HTTP/1.1 400 Bad\r\n\r\n"); });
    const std::string message = message_of([&] { put_sched_hints(scheduler.url(), "job", "{}", 20s); });
    QVERIFY2(message.find("400") != std::string::npos, message.c_str());
  }

  void silenceIsNotWaitedFor() {
    HintsReceiver scheduler;  // the kernel accepts for it
    const std::string message = message_of([&] { put_sched_hints(scheduler.url(), "job", "{}", 50ms); });
    QVERIFY2(message.find("does not answer") != std::string::npos, message.c_str());
  }

  void whoIsNotThereIsNamed() {
    std::string url;
    {
      const HintsReceiver gone;
      url = gone.url();
    }
    const std::string message = message_of([&] { put_sched_hints(url, "job", "{}", 20s); });
    QVERIFY2(message.find("cannot connect") != std::string::npos, message.c_str());
  }

  void otherUrlsAreRefused() {
    for (const char* url :
         {"", "https://host/x", "http://", "host:80", "http://host/a b", "http://host/?a=b"})
      VERIFY_THROWS("usage", "expected http://HOST:PORT/PATH", put_sched_hints(url, "job", "{}", 1s));
  }

  // One thread does all of it, and ends with the client.
  void aSchedulerThatRefusesIsToldOfOnce() {
    const auto threads = [] {
      return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                           std::filesystem::directory_iterator());
    };
    const auto before = threads();
    const testing::StandardError kept;
    HintsReceiver scheduler;
    {
      SchedHintsClient client(scheduler.url(), "job", 1ms);
      for (const char* answer : {"400 Bad", "400 Bad", "200 OK"}) {
        client.post({});
        scheduler.serve("HTTP/1.1 " + std::string(answer) + "\r\n\r\n");
        std::this_thread::sleep_for(10ms);
        QCOMPARE(threads(), before + 1);
      }
    }
    QTRY_COMPARE(threads(), before);
    QCOMPARE(kept.text(), "batchscope: the scheduler did not take the hints; training goes on: " +
                              scheduler.url() + " refused sched hints: 400\n");
  }

  void hintsAreNotPostedMoreOftenThanTheIntervalSays() {
    HintsReceiver scheduler;
    SchedHintsClient client(scheduler.url(), "job", 20s);
    client.post({});
    scheduler.serve("HTTP/1.1 200 OK\r\n\r\n");
    client.post({});
    QVERIFY(!scheduler.accept(std::chrono::steady_clock::now() + 50ms).open());
  }

  void postReturnsWhateverTheSchedulerDoes() {
    HintsReceiver scheduler;
    SchedHintsClient client(scheduler.url(), "job", 1ms);
    protocol::Model model;
    model.init_batch_size = 32;
    client.post(model);
    Socket silent = scheduler.accept();  // it waits for an answer now
    QVERIFY(silent.open());
    model.init_batch_size = 64;
    client.post(model);
    model.init_batch_size = 128;
    client.post(model);
    silent.close();
    scheduler.serve("HTTP/1.1 200 OK\r\n\r\n");
    QVERIFY(protocol::Json::parse(scheduler.body()) == protocol::sched_hints(model));  // the newest alone
    // Nothing is sent that was not posted.
    QVERIFY(!scheduler.accept(std::chrono::steady_clock::now() + 100ms).open());
  }
};

BATCHSCOPE_TEST(TestSchedHintsClient)
#include "test_sched_hints_client.moc"
