// SPDX-License-Identifier: Apache-2.0
//
// Who may join small collectives over TCP: those who know its token, and nobody holds them up.
#include <future>

#include "collective/small_collectives.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;

namespace {

constexpr std::chrono::milliseconds kTimeout = std::chrono::seconds(20);

Deadline soon() { return std::chrono::steady_clock::now() + kTimeout; }

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
                               .timeout = kTimeout,
                               .publish = [&](const std::string& text) { promise.set_value(text); },
                               .look_up = {}});
    });
    const std::string address = published.get().substr(33);  // behind the token
    QVERIFY(address.starts_with("tcp:127.0.0.1:"));
    const Socket silent = connect_to(address, soon());
    Socket liar = connect_to(address, soon());
    QVERIFY(liar.send(std::string(32, '0') + std::string("\1\0\0\0", 4), soon()) == Transfer::done);
    auto spoke = std::async(std::launch::async, [&] {
      return SmallCollectives(
          {.rank = 1, .size = 2, .hub = {}, .timeout = kTimeout, .publish = {}, .look_up = [&] {
             return published.get();
           }});
    });
    char byte = 0;
    QVERIFY(liar.receive(&byte, 1, soon()) == Transfer::closed);
    const auto together = [](const std::string& a, const std::string& b) { return a + b; };
    auto answer = std::async(std::launch::async, [group = spoke.get(), together]() mutable {
      return group.finish(group.start("join", "b", together), kTimeout);
    });
    SmallCollectives group = hub.get();
    QCOMPARE(group.finish(group.start("join", "a", together), kTimeout), std::string("ab"));
    QCOMPARE(answer.get(), std::string("ab"));
  }

  void nobody_there_is_told() {
    std::string address;
    {
      const Listener listener("tcp:127.0.0.1");
      address = listener.address();
    }
    QVERIFY_EXCEPTION_THROWN(connect_to(address, soon()), Error);
    QVERIFY_EXCEPTION_THROWN(connect_to("unix:/nowhere/at/all", soon()), Error);
    QVERIFY_EXCEPTION_THROWN(connect_to("carrier pigeon", soon()), Error);
    QCOMPARE(address_towards("127.0.0.1"), std::string("127.0.0.1"));
    QVERIFY_EXCEPTION_THROWN(address_towards("no.such.host.invalid"), Error);
  }
};

BATCHSCOPE_TEST(TestSmallCollectives)
#include "test_small_collectives.moc"
