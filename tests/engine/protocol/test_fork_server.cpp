// SPDX-License-Identifier: Apache-2.0
//
// The fork server's packets, over a real pair of sockets.
#include "batchscope/protocol/fork_server.h"
#include "test_case.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestForkServer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void packetsSurviveTheirWay() {
    int ends[2];
    QCOMPARE(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    const ForkOrder order{
        {{"EMPTY", ""}, {"LINES", "a\nb=c\t\"\xc3\xa4\""}, {"LONG", std::string(50'000, 'x')}}, "/tmp/a log"};
    send_packet(ends[0], encode(order));
    send_packet(ends[0], encode(ForkAnswer{7, {}}));
    send_packet(ends[0], encode(ForkAnswer{0, "cannot \xff"}));  // a path need not be UTF-8
    const ForkOrder received = decode_fork_order(*receive_packet(ends[1]));
    QVERIFY(received.environment == order.environment);
    QCOMPARE(received.log, order.log);
    QCOMPARE(decode_fork_answer(*receive_packet(ends[1])).pid, 7);
    QVERIFY(decode_fork_answer(*receive_packet(ends[1])).error.starts_with("cannot "));
    close(ends[0]);
    QVERIFY(!receive_packet(ends[1]));
    QVERIFY_THROWS_EXCEPTION(Error, send_packet(ends[1], "x"));
    close(ends[1]);
  }

  // As processes that were forked ahead do.
  void severalWaitAtOneEndAndEachGetsAWholePacket() {
    constexpr int kPackets = 1000, kWaiting = 4;
    int ends[2];
    QCOMPARE(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    std::vector<std::future<int>> whole;
    for (int i = 0; i < kWaiting; ++i)
      whole.push_back(std::async(std::launch::async, [&] {
        int count = 0;
        while (const auto packet = receive_packet(ends[1])) {
          const Json json = parse_object(*packet);
          count += json.at("text").get<std::string>().size() == json.at("size").get<std::size_t>();
        }
        return count;
      }));
    for (std::size_t size = 0; size < kPackets; ++size)
      send_packet(ends[0], Json{{"text", std::string(size, 'x')}, {"size", size}}.dump());
    shutdown(ends[0], SHUT_WR);
    int count = 0;
    for (auto& part : whole) count += part.get();
    QCOMPARE(count, kPackets);
    for (const int end : ends) close(end);
  }

  // A process that ends with orders unread has closed its end as any other.
  void anEndThatIsClosedWithPacketsUnreadHasClosed() {
    int ends[2];
    QCOMPARE(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    send_packet(ends[1], "unread");
    close(ends[0]);
    QVERIFY(!receive_packet(ends[1]));
    close(ends[1]);
  }

  // Signals that have a handler end a call of the system that waits: for a packet, or for room for one.
  void aSignalEndsNoWaiting() {
    static std::atomic<int> signals = 0;
    struct sigaction counting {
    }, before{};
    counting.sa_handler = [](int) { ++signals; };
    QCOMPARE(sigaction(SIGUSR1, &counting, &before), 0);
    constexpr int kPackets = 20;
    const std::string large(50'000, 'x');  // so many of them do not fit into the socket
    int ends[2];
    QCOMPARE(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    const auto disturb = [waiting = pthread_self()] {
      for (int i = 0; i < 20; ++i) {
        pthread_kill(waiting, SIGUSR1);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    };
    std::thread sender([&] {
      disturb();
      send_packet(ends[0], "at last");
    });
    const auto packet = receive_packet(ends[1]);
    sender.join();
    QCOMPARE(packet, std::optional<std::string>("at last"));
    int received = 0;
    std::thread receiver([&] {
      disturb();
      while (received < kPackets && receive_packet(ends[1]) == large) ++received;
    });
    for (int i = 0; i < kPackets; ++i) send_packet(ends[0], large);
    receiver.join();
    QCOMPARE(received, kPackets);
    QVERIFY(signals > 0);
    sigaction(SIGUSR1, &before, nullptr);
    for (const int end : ends) close(end);
  }

  void aSocketThatCannotBeReadIsTold() {
    VERIFY_THROWS("io", "cannot receive: Bad file descriptor", receive_packet(-1));
    const int alone = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    VERIFY_THROWS("io", "cannot receive: ", receive_packet(alone));
    close(alone);
  }

  void aPacketThatIsCutIsNotTakenForAWholeOne() {
    int ends[2];
    QCOMPARE(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    const int small = 1;  // the system's least
    QCOMPARE(setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    send_packet(ends[0], std::string(50'000, 'x'));
    VERIFY_THROWS("io", "cannot receive: Message too long", receive_packet(ends[1]));
    for (const int end : ends) close(end);
  }

  void anAnswerNamesItsOrder() {
    QCOMPARE(decode_fork_order(encode(ForkOrder{{}, "", 3})).number, 3);
    QCOMPARE(decode_fork_answer(encode(ForkAnswer{7, {}, 3})).number, 3);
    QCOMPARE(decode_fork_answer(encode(ForkAnswer{0, "cannot", 3})).number, 3);
    QCOMPARE(decode_fork_answer(R"({"pid":7})").number, -1);  // of an earlier engine
    QCOMPARE(decode_fork_order(R"({"environment":{},"log":""})").number, 0);
  }

  void whatMakesNoSenseIsRefused() {
    for (const char* packet :
         {"", "x", "[]", "{}", R"({"environment":{"A":1},"log":""})", R"({"environment":{}})"})
      QVERIFY_THROWS_EXCEPTION(Error, decode_fork_order(packet));
    for (const char* packet : {"{}", R"({"pid":"7"})", R"({"error":7})", R"({"pid":7,"number":"3"})"})
      QVERIFY_THROWS_EXCEPTION(Error, decode_fork_answer(packet));
    QVERIFY_THROWS_EXCEPTION(Error, encode(ForkOrder{{{"A", "\xff"}}, ""}));
  }
};

BATCHSCOPE_TEST(TestForkServer)
#include "test_fork_server.moc"
