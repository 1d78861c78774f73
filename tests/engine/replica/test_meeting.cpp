// SPDX-License-Identifier: Apache-2.0
//
// Replicas that meet at a port that was agreed on, those that may not, and one whose words are written by
// hand: who is late, out of step, or gone in the midst of a call.
#include <QTemporaryDir>
#include <filesystem>
#include <future>
#include <stdexcept>
#include <thread>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "collective/frame.h"
#include "collective/handshake.h"
#include "collective/rendezvous.h"
#include "collective/small_collectives.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using namespace batchscope::testing;
using namespace std::chrono_literals;

class TestMeeting : public QObject {
  Q_OBJECT

  using Group = SmallCollectives;

  static constexpr std::chrono::milliseconds kPatience = 20s;
  static constexpr std::size_t kHalf = 16 << 10;  // bytes of what a spoke sends ahead

  static Deadline in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }
  static std::string joined(const std::string& a, const std::string& b) { return a + b; }

  static int free_port() {
    const Listener listener("tcp:127.0.0.1");
    return std::stoi(listener.address().substr(listener.address().rfind(':') + 1));
  }
  static protocol::Environment at_port(int port, int rank, int replicas = 2) {
    protocol::Environment environment;
    environment.num_replicas = replicas;
    environment.replica_rank = rank;
    environment.master_address = "127.0.0.1";
    environment.master_port = port;
    environment.meeting_timeout = 20;
    return environment;
  }

  // A hub of two replicas, and the other one's line to it, of which a test is the hand.
  struct ByHand {
    std::shared_ptr<Group> hub;
    Socket line;
  };
  static ByHand by_hand() {
    std::promise<std::string> promise;
    auto published = promise.get_future();
    auto hub = std::async(std::launch::async, [&] {
      return std::make_shared<Group>(
          Group::Rendezvous{.rank = 0,
                            .size = 2,
                            .hub = "tcp:127.0.0.1",
                            .meeting = kPatience,
                            .timeout = kPatience,
                            .publish = [&](const std::string& text) { promise.set_value(text); },
                            .look_up = {}});
    });
    const std::string text = published.get();
    const auto space = text.find(' ');
    ByHand made{nullptr, connect_to(text.substr(space + 1), in(kPatience))};
    greet_hub(made.line, text.substr(0, space), 1, in(kPatience));
    Frame met;
    if (send_frame(made.line, {false, 0, "meet", ""}, in(kPatience)) != Transfer::done ||
        receive_frame(made.line, met, in(kPatience)) != Transfer::done)
      throw std::runtime_error("they do not meet");
    made.hub = hub.get();
    return made;
  }

  // A spoke's greeting of a hub, held by a test that is between the two.
  struct Held {
    Socket hub, spoke;
    std::string greeting;
    std::future<std::string> said;  // by the spoke, once its line is closed
  };
  static Held held(const Listener& hub) {
    Held held;
    held.hub = connect_to(hub.address(), in(kPatience));
    Listener between("tcp:127.0.0.1");
    held.said = std::async(std::launch::async, [address = between.address()] {
      Socket socket = connect_to(address, in(kPatience));
      return thrown_by([&] { greet_hub(socket, "token", 1, in(kPatience)); });
    });
    held.spoke = between.accept(in(kPatience));
    std::string nonce(32, '\0');
    held.greeting.resize(68);
    if (held.hub.receive(nonce.data(), nonce.size(), in(kPatience)) != Transfer::done ||
        held.spoke.send(nonce, in(kPatience)) != Transfer::done ||
        held.spoke.receive(held.greeting.data(), held.greeting.size(), in(kPatience)) != Transfer::done)
      throw std::runtime_error("there is no greeting");
    return held;
  }

  // Does this as the hub and the spoke of two replicas, and returns what they say.
  template <class Hub, class Spoke>
  static std::pair<std::string, std::string> two(Hub as_hub, Spoke as_spoke,
                                                 std::chrono::milliseconds timeout = kPatience) {
    const int port = free_port();
    const auto group = [port, timeout](int rank) { return meet(at_port(port, rank), timeout); };
    auto hub = std::async(std::launch::async, [&]() -> std::string { return as_hub(*group(0)); });
    const std::string spoke = as_spoke(*group(1));
    return {hub.get(), spoke};
  }

 private Q_SLOTS:
  // --- at a port ---

  void whoIsOfOneGenerationMeets_data() {
    const auto row = columns<QString, int, int, bool>({"token", "generation", "replicas", "meets"});
    row("the same", "a secret of a run", 4, 2, true);
    row("another token", "another secret", 4, 2, false);
    row("another generation", "a secret of a run", 3, 2, false);
    row("another number", "a secret of a run", 4, 3, false);
  }
  void whoIsOfOneGenerationMeets() {
    QFETCH(QString, token);
    QFETCH(int, generation);
    QFETCH(int, replicas);
    QFETCH(bool, meets);
    protocol::Environment first = at_port(free_port(), 0);
    first.rendezvous_token = "a secret of a run";
    first.num_restarts = 4;
    first.meeting_timeout = meets ? 20 : 0.2;
    protocol::Environment second = first;
    second.replica_rank = 1;
    second.rendezvous_token = token.toStdString();
    second.num_restarts = generation;
    second.num_replicas = replicas;
    second.meeting_timeout = 20;
    // The second is there first, and waits.
    auto spoke = std::async(std::launch::async, [second] {
      std::string said;
      const std::string fault = thrown_by([&] {
        const auto group = meet(second, kPatience);
        said = group->finish(group->start("large", std::string(3'000'000, 'b'), joined), kPatience);
      });
      return said.empty() ? fault : said.substr(0, 1) + said.substr(said.size() - 1);
    });
    std::this_thread::sleep_for(10ms);
    std::string said;
    const std::string fault = thrown_by([&] {
      const auto group = meet(first, kPatience);
      said = group->finish(group->start("large", "a", joined), kPatience);
    });
    if (meets) {
      QCOMPARE(spoke.get(), "ab");
      QCOMPARE(said.size(), 3'000'001u);
    } else {
      QCOMPARE(fault,
               "timeout: replica 1 did not appear within 200 ms: see their logs for why they did not start");
      VERIFY_HOLDS(spoke.get(), "failure: replica 0 closed the connection: it belongs to another generation");
    }
  }

  // Other nodes cannot reach an address that is each machine's own.
  void anAddressOfThisMachineAloneIsNamed() {
    protocol::Environment environment = at_port(free_port(), 0);
    environment.meeting_timeout = 0.05;
    const auto said = [&] { return thrown_by([&] { meet(environment, kPatience); }); };
    QCOMPARE(said(),
             "timeout: replica 1 did not appear within 50 ms: see their logs for why they did not start");
    environment.num_nodes = 2;
    VERIFY_HOLDS(said(), "timeout: replica 1 did not appear within 50 ms",
                 "(ADAPTDL_MASTER_ADDR=127.0.0.1 is an address of this machine alone");
    environment.replica_rank = 1;
    environment.master_address = "192.0.2.1";  // of documentation: nobody has it
    const std::string elsewhere = said();
    VERIFY_HOLDS(elsewhere, "timeout: replica 0 did not appear within 50 ms: ");
    QVERIFY2(!holds(elsewhere, "of this machine alone"), elsewhere.c_str());
  }

  void inAFolderTheAddressIsTheUsersAlone() {
    QTemporaryDir folder;
    protocol::Environment environment;
    environment.num_replicas = 2;
    environment.num_restarts = 7;
    environment.rendezvous_dir = folder.path().toStdString();
    environment.replica_rank = 1;
    environment.meeting_timeout = 0.05;
    VERIFY_THROWS("timeout", "replica 0 did not appear within 0.05 s: see its log", meet(environment, 1s));
    environment.replica_rank = 0;
    VERIFY_THROWS("timeout", "replica 1 did not appear within 50 ms", meet(environment, 1s));
    const auto file = std::filesystem::path(environment.rendezvous_dir) / "hub-7";
    QCOMPARE(static_cast<unsigned>(std::filesystem::status(file).permissions()), 0600u);
    environment.rendezvous_dir = file.string();
    VERIFY_THROWS("io", "it is not a directory", meet(environment, 1s));
  }

  // --- the handshake ---

  // The first that comes may answer last.
  void nobodyWaitsForAnothersAnswer() {
    Listener listener("tcp:127.0.0.1");
    auto met = std::async(std::launch::async, [&] {
      Reception reception(listener, "token", in(kPatience));
      std::vector<int> ranks;
      while (ranks.size() < 2)
        for (const Spoke& spoke : reception.next()) ranks.push_back(spoke.rank);
      return ranks;
    });
    Socket first = connect_to(listener.address(), in(kPatience)),
           second = connect_to(listener.address(), in(kPatience));
    greet_hub(second, "token", 2, in(kPatience));
    greet_hub(first, "token", 1, in(kPatience));
    QCOMPARE(met.get(), (std::vector<int>{2, 1}));
  }

  void aHubThatSaysNothingIsNamed() {
    const Listener listener("tcp:127.0.0.1");
    Socket socket = connect_to(listener.address(), in(kPatience));
    VERIFY_THROWS("timeout", "replica 0 does not answer: its port is open, but sends nothing",
                  greet_hub(socket, "token", 1, in(10ms)));
  }

  // Behind its deadline a reception takes nobody, also one whose answer has begun.
  void anAnswerIsNotWaitedForBehindTheDeadline() {
    Listener listener("tcp:127.0.0.1");
    auto met =
        std::async(std::launch::async, [&] { return Reception(listener, "token", in(150ms)).next().size(); });
    Held answer = held(listener);
    QVERIFY(answer.hub.send(answer.greeting.substr(0, 10), in(kPatience)) == Transfer::done);
    std::this_thread::sleep_for(250ms);
    answer.hub.send(answer.greeting.substr(10), in(kPatience));
    QCOMPARE(met.get(), 0u);
    answer.spoke.close();
    VERIFY_HOLDS(answer.said.get(), "failure: replica 0 closed the connection");
  }

  void anAnswerMayComeInPieces() {
    Listener listener("tcp:127.0.0.1");
    auto met = std::async(std::launch::async,
                          [&] { return Reception(listener, "token", in(kPatience)).next().size(); });
    Held answer = held(listener);
    QVERIFY(answer.hub.send(answer.greeting.substr(0, 10), in(kPatience)) == Transfer::done);
    std::this_thread::sleep_for(20ms);
    QVERIFY(answer.hub.send(answer.greeting.substr(10), in(kPatience)) == Transfer::done);
    QCOMPARE(met.get(), 1u);
    answer.spoke.close();
    answer.said.get();
  }

  // The others meet all the same.
  void ranksThatAreNoneAreHungUpOn() {
    const int port = free_port();
    const std::string token = " generation 0 of 2";
    auto hub = std::async(std::launch::async, [port] { return meet(at_port(port, 0), kPatience); });
    for (const int rank : {0, -1, 2, 1000}) {
      Socket line;
      while (!line.open()) try {
          line = connect_to("tcp:127.0.0.1:" + std::to_string(port), in(kPatience));
        } catch (const Error&) {
          std::this_thread::yield();  // the hub does not listen yet
        }
      greet_hub(line, token, rank, in(kPatience));
      char byte = 0;
      QVERIFY(line.receive(&byte, 1, in(kPatience)) == Transfer::closed);
    }
    const auto spoke = meet(at_port(port, 1), kPatience);
    auto said = std::async(std::launch::async,
                           [&] { return spoke->finish(spoke->start("letters", "b", joined), kPatience); });
    const auto group = hub.get();
    QCOMPARE(group->finish(group->start("letters", "a", joined), kPatience), "ab");
    QCOMPARE(said.get(), "ab");
  }

  void whatIsNoAddressIsNamed() {
    const auto joins = [](const std::string& published) {
      return thrown_by([&] {
        Group({.rank = 1,
               .size = 2,
               .hub = {},
               .meeting = 20ms,
               .timeout = kPatience,
               .publish = {},
               .look_up = [&] { return published; }});
      });
    };
    QCOMPARE(joins("nonsense"), "corrupt: the rendezvous holds no address of replica 0 but 'nonsense'");
    VERIFY_HOLDS(joins("token tcp:127.0.0.1:" + std::to_string(free_port())),
                 "timeout: replica 0 did not appear within 20 ms: cannot connect to tcp:127.0.0.1:");
  }

  // --- calls ---

  // Calls are started without a wait as far as 32 KiB are under way; what comes then waits for those before.
  void aSpokeSendsSoMuchAhead() {
    std::promise<void> started;
    auto all_started = started.get_future();
    const auto [hub, spoke] = two(
        [&](Group& group) {
          all_started.wait();
          std::string sizes;
          for (int i = 0; i < 6; ++i)
            sizes += std::to_string(
                         group.finish(group.start("call", std::string(1, 'x'), joined), kPatience).size()) +
                     " ";
          return sizes;
        },
        [&](Group& group) {
          const auto start = [&](std::size_t size) {
            return group.start("call", std::string(size, 'x'), joined);
          };
          const auto first = start(kHalf), second = start(kHalf);
          std::string said = first->done ? "waited " : "went on ";
          started.set_value();
          const auto third = start(1);
          said += first->done && second->done ? "waited " : "went on ";
          group.finish(third, kPatience);
          const auto fourth = start(kHalf), fifth = start(kHalf);
          said += fourth->done ? "waited " : "went on ";
          const auto sixth = start(2 * kHalf + 1);
          said += fifth->done ? "waited " : "went on ";
          group.finish(sixth, kPatience);
          return said;
        });
    QCOMPARE(spoke, "went on waited went on waited ");
    QCOMPARE(hub, "16385 16385 2 16385 16385 32770 ");
  }

  // The hub has its time, and the spoke waits for it.
  void aHubMayComeLater() {
    const auto [hub, spoke] = two(
        [](Group& group) {
          std::this_thread::sleep_for(30ms);
          return group.finish(group.start("call", "a", joined), kPatience);
        },
        [](Group& group) { return group.finish(group.start("call", "b", joined), 1ms); });
    QCOMPARE(spoke, "ab");
    QCOMPARE(hub, "ab");
  }

  void aHubThatTakesNothingIsNamed() {
    std::promise<void> over;
    auto end = over.get_future();
    const auto [hub, spoke] = two(
        [&](Group&) {
          end.wait();
          return "idle";
        },
        [&](Group& group) {
          const std::string first =
              thrown_by([&] { group.start("large", std::string(30'000'000, 'x'), joined); });
          const std::string again = thrown_by([&] { group.start("small", "x", joined); });
          over.set_value();
          return first + (first == again ? ", and ever after" : again);
        },
        100ms);
    QCOMPARE(spoke, "timeout: replica 0 did not take part in large within 100 ms, and ever after");
    const auto [gone, left] =
        two([](Group&) { return "left"; },
            [](Group& group) {
              return thrown_by([&] { group.finish(group.start("sum 'a'", "x", joined), kPatience); });
            });
    QCOMPARE(left, "failure: replica 0 is gone: its connection ended before sum 'a'");
  }

  void aCallThatWasPassedOverIsNamed() {
    ByHand pair = by_hand();
    QVERIFY(send_frame(pair.line, {false, 7, "sum 'a'", "x"}, in(kPatience)) == Transfer::done);
    const auto call = [&] { pair.hub->finish(pair.hub->start("sum 'a'", "x", joined), kPatience); };
    const std::string refusal =
        "usage: replicas are out of step: replica 1 called sum 'a' (call 7) where replica 0 called sum 'a' "
        "(call 1)";
    QCOMPARE(thrown_by(call), refusal);
    QCOMPARE(thrown_by(call), refusal);  // it is final
    Frame told;
    QVERIFY(receive_frame(pair.line, told, in(kPatience)) == Transfer::done);
    QVERIFY(told.error);
    QCOMPARE(told.value, "usage\n" + refusal.substr(7));
  }

  // All have taken part in time.
  void aResultMayBeTakenBehindTheDeadline() {
    ByHand pair = by_hand();
    QVERIFY(send_frame(pair.line, {false, 1, "sum 'a'", "x"}, in(kPatience)) == Transfer::done);
    auto hub = std::async(std::launch::async, [&] {
      return thrown_by(
          [&] { pair.hub->finish(pair.hub->start("sum 'a'", std::string(20'000'000, 'x'), joined), 50ms); });
    });
    std::this_thread::sleep_for(100ms);
    Frame result;
    QVERIFY(receive_frame(pair.line, result, in(kPatience)) == Transfer::done);
    QCOMPARE(result.value.size(), 20'000'001u);
    QCOMPARE(hub.get(), "nothing was thrown");
  }

  void whoDoesNotTakeTheResultIsNamed() {
    ByHand pair = by_hand();
    QVERIFY(send_frame(pair.line, {false, 1, "sum 'a'", "x"}, in(kPatience)) == Transfer::done);
    pair.line.close();
    QCOMPARE(thrown_by([&] {
               pair.hub->finish(pair.hub->start("sum 'a'", std::string(20'000'000, 'x'), joined), kPatience);
             }),
             "failure: replica 1 is gone: it did not take the result of sum 'a'");
  }
};

BATCHSCOPE_TEST(TestMeeting)
#include "test_meeting.moc"
