// SPDX-License-Identifier: Apache-2.0
//
// Joining small collectives over TCP: only those who prove that they know its token may, and nobody holds
// them up.
#include <future>

#include "batchscope/protocol/error.h"
#include "collective/handshake.h"
#include "collective/small_collectives.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;

namespace {

constexpr std::chrono::milliseconds kTimeout = std::chrono::seconds(20);

Deadline collective_deadline() { return std::chrono::steady_clock::now() + kTimeout; }

}  // namespace

class TestSmallCollectives : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void strangers_are_hung_up_on() {
    std::promise<std::string> promise;
    const std::shared_future<std::string> published = promise.get_future().share();
    auto hub = std::async(std::launch::async, [&] {
      return SmallCollectives({.rank = 0,
                               .size = 2,
                               .hub = "tcp:127.0.0.1",
                               .meeting = kTimeout,
                               .timeout = kTimeout,
                               .publish = [&](const std::string& text) { promise.set_value(text); },
                               .look_up = {}});
    });
    const std::string address = published.get().substr(33);  // behind the token
    QVERIFY(address.starts_with("tcp:127.0.0.1:"));
    const Socket silent = connect_to(address, collective_deadline());
    Socket babbler = connect_to(address, collective_deadline());
    QVERIFY(babbler.send(std::string(100, '0'), collective_deadline()) == Transfer::done);
    Socket liar = connect_to(address, collective_deadline());
    QVERIFY_EXCEPTION_THROWN(greet_hub(liar, "not the token", 1, collective_deadline()), Error);
    auto spoke = std::async(std::launch::async, [&] {
      return SmallCollectives({.rank = 1,
                               .size = 2,
                               .hub = {},
                               .meeting = kTimeout,
                               .timeout = kTimeout,
                               .publish = {},
                               .look_up = [&] { return published.get(); }});
    });
    const auto together = [](const std::string& a, const std::string& b) { return a + b; };
    auto answer = std::async(std::launch::async, [group = spoke.get(), together]() mutable {
      return group.finish(group.start("join", "b", together), kTimeout);
    });
    SmallCollectives group = hub.get();
    QCOMPARE(group.finish(group.start("join", "a", together), kTimeout), std::string("ab"));
    QCOMPARE(answer.get(), std::string("ab"));
  }

  // A listener in the hub's place cannot prove the token, hears no word of it, and is not believed.
  void aHubWithoutTheTokenIsNotBelieved() {
    const std::string token = "a secret of twenty-nine chars";
    Listener impostor("tcp:127.0.0.1");
    auto heard = std::async(std::launch::async, [&] {
      Socket socket = impostor.accept(collective_deadline());
      std::string greeting(68, '\0');
      if (socket.send(std::string(32, 'n'), collective_deadline()) != Transfer::done ||
          socket.receive(greeting.data(), greeting.size(), collective_deadline()) != Transfer::done ||
          socket.send(greeting.substr(36), collective_deadline()) !=
              Transfer::done)  // the spoke's own proof, sent back
        return std::string("nothing");
      return greeting;
    });
    Socket socket = connect_to(impostor.address(), collective_deadline());
    VERIFY_THROWS("failure", "does not know this run's secret",
                  greet_hub(socket, token, 1, collective_deadline()));
    const std::string greeting = heard.get();
    QCOMPARE(greeting.size(), 68u);
    QVERIFY(greeting.find(token.substr(0, 8)) == std::string::npos);
  }

  // The greeting of one meeting does not open another.
  void aGreetingThatIsRepeatedIsRefused() {
    const std::string token = "a secret of twenty-nine chars";
    Listener hub("tcp:127.0.0.1");
    const auto greet = [&](std::chrono::milliseconds time) {
      const auto spokes = Reception(hub, token, std::chrono::steady_clock::now() + time).next();
      return spokes.empty() ? std::nullopt : std::optional(spokes.front().rank);
    };
    std::string overheard(68, '\0');
    {  // a spoke's greeting, by way of one in the middle
      auto rank = std::async(std::launch::async, greet, kTimeout);
      Listener middle("tcp:127.0.0.1");
      auto spoke = std::async(std::launch::async, [&] {
        Socket socket = connect_to(middle.address(), collective_deadline());
        greet_hub(socket, token, 3, collective_deadline());
      });
      Socket near = middle.accept(collective_deadline()),
             far = connect_to(hub.address(), collective_deadline());
      std::string bytes(32, '\0');
      QVERIFY(far.receive(bytes.data(), 32, collective_deadline()) == Transfer::done);
      QVERIFY(near.send(bytes, collective_deadline()) == Transfer::done);
      QVERIFY(near.receive(overheard.data(), overheard.size(), collective_deadline()) == Transfer::done);
      QVERIFY(far.send(overheard, collective_deadline()) == Transfer::done);
      QCOMPARE(rank.get().value_or(-1), 3);
      QVERIFY(far.receive(bytes.data(), 32, collective_deadline()) == Transfer::done);
      QVERIFY(near.send(bytes, collective_deadline()) == Transfer::done);
      spoke.get();
    }
    auto rank = std::async(std::launch::async, greet, std::chrono::milliseconds(500));
    Socket again = connect_to(hub.address(), collective_deadline());
    QVERIFY(again.send(overheard, collective_deadline()) == Transfer::done);
    QVERIFY(!rank.get());
  }

  void nobody_there_is_told() {
    std::string address;
    {
      const Listener listener("tcp:127.0.0.1");
      address = listener.address();
    }
    QVERIFY_EXCEPTION_THROWN(connect_to(address, collective_deadline()), Error);
    QVERIFY_EXCEPTION_THROWN(connect_to("unix:/nowhere/at/all", collective_deadline()), Error);
    QVERIFY_EXCEPTION_THROWN(connect_to("carrier pigeon", collective_deadline()), Error);
    QCOMPARE(address_towards("127.0.0.1"), std::string("127.0.0.1"));
    QVERIFY_EXCEPTION_THROWN(address_towards("no.such.host.invalid"), Error);
    for (const char* own : {"localhost", "127.0.1.1", "::1"}) QVERIFY2(leads_to_loopback(own), own);
    for (const char* other : {"10.0.0.3", "no.such.host.invalid"}) QVERIFY2(!leads_to_loopback(other), other);
  }
};

BATCHSCOPE_TEST(TestSmallCollectives)
#include "test_small_collectives.moc"
