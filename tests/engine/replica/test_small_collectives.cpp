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

  using Group = SmallCollectives;

  static std::string joined(const std::string& a, const std::string& b) { return a + b; }

  // Returns what each of so many replicas says, or the error that it meets.
  template <class Say>
  static std::vector<std::string> say(int size, Say what, std::chrono::milliseconds timeout = kTimeout,
                                      std::chrono::milliseconds meeting = kTimeout,
                                      const std::vector<int>& ranks = {0, 1, 2}) {
    std::promise<std::string> promise;
    const std::shared_future<std::string> published = promise.get_future().share();
    std::vector<std::future<std::string>> replicas;
    for (const int rank : ranks)
      replicas.push_back(std::async(std::launch::async, [&, rank]() -> std::string {
        std::string said;
        const std::string fault = testing::thrown_by([&] {
          Group group({.rank = rank,
                       .size = size,
                       .hub = rank == 0 ? "tcp:127.0.0.1" : "",
                       .meeting = meeting,
                       .timeout = timeout,
                       .publish = [&](const std::string& text) { promise.set_value(text); },
                       .look_up = [&] { return published.get(); }});
          said = what(rank, group);
        });
        return said.empty() ? fault : said;
      }));
    std::vector<std::string> all;
    for (auto& replica : replicas) all.push_back(replica.get());
    return all;
  }

 private Q_SLOTS:
  void values_are_combined_in_the_order_of_the_ranks() {
    const auto said = say(3, [](int rank, Group& group) {
      const auto first = group.start("letters", std::string(1, static_cast<char>('a' + rank)), joined);
      const auto second =
          group.start("numbers", std::to_string(rank), joined);  // before the first is waited for
      return group.finish(second, kTimeout) + group.finish(first, kTimeout);
    });
    for (const std::string& each : said) QCOMPARE(each, "012abc");
  }

  // More than the hub takes before it reads.
  void values_may_be_large_and_many() {
    const auto said = say(3, [](int, Group& group) {
      std::vector<std::shared_ptr<Group::Call>> calls;
      for (int i = 0; i < 40; ++i)
        calls.push_back(group.start("large", std::string(100'000, 'x'), [](const auto& a, const auto& b) {
          return std::to_string(std::min(a.size(), b.size()));
        }));
      std::string sizes;
      for (const auto& call : calls) sizes += group.finish(call, kTimeout) + " ";
      return sizes;
    });
    // The first two give 100,000; that number and the third, the six digits.
    std::string expected;
    for (int i = 0; i < 40; ++i) expected += "6 ";
    for (const std::string& each : said) QCOMPARE(each, expected);
  }

  void replicas_that_are_out_of_step_are_told_so() {
    const auto said = say(3, [](int rank, Group& group) {
      return group.finish(group.start(rank == 1 ? "sum 'a'" : "sum 'b'", "x", joined), kTimeout);
    });
    for (const std::string& each : said)
      VERIFY_HOLDS(each,
                   "usage: replicas are out of step: replica 1 called sum 'a' (call 1) where replica 0 "
                   "called sum 'b' (call 1)");
  }

  void what_cannot_be_combined_is_an_error_on_all() {
    const auto said = say(3, [](int, Group& group) {
      return group.finish(group.start("sum 'a'", "x",
                                      [](const auto&, const auto&) -> std::string {
                                        throw std::invalid_argument("of two lengths");
                                      }),
                          kTimeout);
    });
    for (const std::string& each : said) QCOMPARE(each, "failure: sum 'a': of two lengths");
  }

  void who_is_gone_or_late_is_named() {
    std::promise<void> over;
    const std::shared_future<void> end = over.get_future().share();
    const auto gone = say(3, [](int rank, Group& group) {
      return rank == 2 ? "left" : group.finish(group.start("sum 'a'", "x", joined), kTimeout);
    });
    for (const int rank : {0, 1})
      QCOMPARE(gone[static_cast<std::size_t>(rank)],
               "failure: replica 2 is gone: its connection ended before sum 'a'");
    const auto late = say(
        3,
        [&](int rank, Group& group) -> std::string {
          if (rank == 0) {
            const std::string fault = testing::thrown_by(
                [&] { group.finish(group.start("sum 'a'", "x", joined), std::chrono::milliseconds(50)); });
            over.set_value();
            return fault;
          }
          end.wait();
          return "late";
        },
        std::chrono::milliseconds(50));
    QCOMPARE(late[0], "timeout: replicas 1, 2 did not take part in sum 'a' in time");
  }

  void who_does_not_appear_is_named() {
    const auto said = say(3, [](int, Group&) { return "met"; }, kTimeout, std::chrono::seconds(1), {0, 1});
    for (const std::string& each : said)
      VERIFY_HOLDS(each, "timeout: replica 2 did not appear within 1 s: see their logs");
    const auto twice = say(3, [](int, Group&) { return "met"; }, kTimeout, kTimeout, {0, 1, 1});
    VERIFY_HOLDS(twice[0], "usage: two processes say that they are replica 1");
  }

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
    VERIFY_THROWS("failure", "replica 0 closed the connection: it belongs to another generation",
                  greet_hub(liar, "not the token", 1, collective_deadline()));
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
