// SPDX-License-Identifier: Apache-2.0
//
// All that goes over sockets between replicas and to a scheduler: frames, answers in HTTP, addresses, and the
// time that it may take.
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>
#include <thread>

#include "batchscope/protocol/environment.h"
#include "collective/discover.h"
#include "collective/frame.h"
#include "collective/http_client.h"
#include "collective/rendezvous.h"
#include "collective/socket.h"
#include "rows.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using namespace batchscope::testing;
using namespace std::chrono_literals;

class TestWire : public QObject {
  Q_OBJECT

  static Deadline in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

  struct Pair {
    Socket one, other;
  };
  static Pair connected() {
    Listener listener("tcp:127.0.0.1");
    Socket one = connect_to(listener.address(), in(20s));
    return {std::move(one), listener.accept(in(20s))};
  }
  static std::string head(std::uint32_t magic, std::uint64_t value_size, std::uint64_t name_size) {
    const std::uint32_t error = 0;
    const std::uint64_t sequence = 7;
    std::string bytes(32, '\0');
    std::memcpy(bytes.data(), &magic, 4);
    std::memcpy(bytes.data() + 4, &error, 4);
    std::memcpy(bytes.data() + 8, &sequence, 8);
    std::memcpy(bytes.data() + 16, &value_size, 8);
    std::memcpy(bytes.data() + 24, &name_size, 8);
    return bytes;
  }

  // Asks somebody who says this and hangs up.
  static HttpAnswer ask(const std::string& says) {
    Listener listener("tcp:127.0.0.1");
    auto served = std::async(std::launch::async, [&] {
      Socket socket = listener.accept(in(20s));
      std::string request;
      for (char byte = 0; !request.ends_with("\r\n\r\n"); request += byte)
        if (socket.receive(&byte, 1, in(20s)) != Transfer::done) return;
      socket.send(says, in(20s));
    });
    return http_request("GET", "http://" + listener.address().substr(4), "/a", "", 20s);
  }

 private Q_SLOTS:
  // --- frames ---

  void framesArriveAsTheyWereSent() {
    for (const Frame& frame : {Frame{false, 1, "sum 'a'", "123"}, Frame{true, 1ull << 40, "", ""},
                               Frame{false, 0, std::string(4096, 'n'), std::string(200'000, 'v')}}) {
      Pair pair = connected();
      auto sent = std::async(std::launch::async, [&] { return send_frame(pair.one, frame, in(20s)); });
      Frame received;
      QVERIFY(receive_frame(pair.other, received, in(20s)) == Transfer::done);
      QVERIFY(sent.get() == Transfer::done);
      QCOMPARE(received.error, frame.error);
      QCOMPARE(received.sequence, frame.sequence);
      QCOMPARE(received.name, frame.name);
      QCOMPARE(received.value, frame.value);
    }
  }

  void whatIsNoFrameIsRefused() {
    constexpr std::uint32_t kMagic = 0x42535452;
    constexpr std::uint64_t kLargest = std::uint64_t{1} << 32;
    for (const std::string& bytes : {head(kMagic + 1, 0, 0), head(kMagic, kLargest + 1, 0),
                                     head(kMagic, 0, 4097), std::string(32, '\0')}) {
      Pair pair = connected();
      QVERIFY(pair.one.send(bytes, in(20s)) == Transfer::done);
      Frame frame;
      VERIFY_THROWS("corrupt", "sent bytes that are not a frame", receive_frame(pair.other, frame, in(20s)));
    }
  }

  void aFrameThatDoesNotComeWholeIsNone() {
    const std::string begun = head(0x42535452, 5, 1) + "n12";
    for (const std::size_t size : {0, 10, 32, 35}) {
      Pair pair = connected();
      QVERIFY(pair.one.send(begun.substr(0, size), in(20s)) == Transfer::done);
      Frame frame;
      QVERIFY(receive_frame(pair.other, frame, in(10ms)) == Transfer::timed_out);
    }
    for (const std::size_t size : {0, 10, 32, 35}) {
      Pair pair = connected();
      QVERIFY(pair.one.send(begun.substr(0, size), in(20s)) == Transfer::done);
      pair.one.close();
      Frame frame;
      QVERIFY(receive_frame(pair.other, frame, in(20s)) == Transfer::closed);
    }
  }

  // --- sockets ---

  void moreThanASocketHoldsIsSentAsItIsRead() {
    Pair pair = connected();
    std::string bytes(20'000'000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
    QVERIFY(pair.one.send(bytes, in(50ms)) == Transfer::timed_out);  // nobody reads
    pair = connected();
    auto sent = std::async(std::launch::async, [&] { return pair.one.send(bytes, in(20s)); });
    std::string received(bytes.size(), '\0');
    QVERIFY(pair.other.receive(received.data(), received.size(), in(20s)) == Transfer::done);
    QVERIFY(sent.get() == Transfer::done);
    QVERIFY(received == bytes);
    pair.one.close();  // nothing was sent beyond them
    QVERIFY(pair.other.receive(received.data(), 1, in(20s)) == Transfer::closed);
  }

  void whatIsNotAskedForIsLeftForTheNext() {
    Pair pair = connected();
    std::string bytes(12, '.');
    QVERIFY(pair.one.send("ab", in(20s)) == Transfer::done);
    auto received =
        std::async(std::launch::async, [&] { return pair.other.receive(bytes.data(), 4, in(20s)); });
    std::this_thread::sleep_for(20ms);
    QVERIFY(pair.one.send("cdefgh", in(20s)) == Transfer::done);
    QVERIFY(received.get() == Transfer::done);
    QCOMPARE(bytes, "abcd........");
    QVERIFY(pair.other.receive(bytes.data(), 4, in(20s)) == Transfer::done);
    QCOMPARE(bytes, "efgh........");
  }

  void whoCanBeReadIsTold() {
    Pair quiet = connected(), loud = connected();
    QVERIFY(wait_for_any({&quiet.other, &loud.other}, in(10ms)).empty());
    QVERIFY(loud.one.send("x", in(20s)) == Transfer::done);
    QCOMPARE(wait_for_any({&quiet.other, &loud.other}, in(20s)), (std::vector<bool>{false, true}));
  }

  void addressesThatAreNoneAreRefused_data() {
    rows("address", {"", "carrier pigeon", "tcp:", "tcp:1234", "tcp::1234", "udp:host:1234"});
  }
  void addressesThatAreNoneAreRefused() {
    QFETCH(QString, address);
    VERIFY_THROWS("usage", "is not an address: expected unix:PATH or tcp:HOST:PORT",
                  connect_to(address.toStdString(), in(20s)));
  }

  void aPlaceOnThisMachineIsGoneWithItsListener() {
    const std::string path = "/tmp/batchscope-wire-" + std::to_string(::getpid());
    write_file(path, "what a dead process left");
    {
      Listener first("unix:" + path);
      QCOMPARE(static_cast<unsigned>(std::filesystem::status(path).permissions()), 0600u);
      QCOMPARE(first.address(), "unix:" + path);
      QVERIFY(connect_to(first.address(), in(20s)).open());
      QVERIFY(first.accept(in(20s)).open());
      QVERIFY(!first.accept(in(10ms)).open());
    }
    QVERIFY(!std::filesystem::exists(path));
    VERIFY_THROWS("io", "cannot connect to " + path, connect_to("unix:" + path, in(20s)));
    QVERIFY(fits_unix_socket(std::string(107, 'x')) && !fits_unix_socket(std::string(108, 'x')));
  }

  void aPortThatIsTakenIsNamed() {
    const Listener first("tcp:127.0.0.1");
    const std::string port = first.address().substr(first.address().rfind(':') + 1);
    VERIFY_THROWS("io", "cannot listen at 127.0.0.1:" + port + ": ",
                  Listener("tcp:127.0.0.1", std::stoi(port)));
    VERIFY_THROWS("io", "cannot listen at 192.0.2.1: ", Listener("tcp:192.0.2.1"));  // of documentation
    VERIFY_THROWS("io", "host 'no.such.host.invalid': ", Listener("tcp:no.such.host.invalid"));
  }

  // An address of many machines is none to connect to, nor to reach one by.
  void whereNoWayLeadsIsNamed() {
    VERIFY_THROWS("io",
                  "cannot connect to tcp:255.255.255.255:9: ", connect_to("tcp:255.255.255.255:9", in(20s)));
    VERIFY_THROWS("io", "no network route to host '255.255.255.255': ", address_towards("255.255.255.255"));
    VERIFY_THROWS("io", "cannot listen at /nowhere/at/all: ", Listener("unix:/nowhere/at/all"));
    std::string place;
    {
      const Listener gone("tcp:127.0.0.1");
      place = gone.address();
    }
    VERIFY_THROWS("io", "cannot connect to " + place + ": Connection refused", connect_to(place, in(20s)));
  }

  void whoIsGoneTakesNothing() {
    Pair pair = connected();
    pair.other.close();
    QVERIFY(pair.one.send(std::string(20'000'000, 'x'), in(20s)) == Transfer::closed);
    char byte = 0;
    QVERIFY(pair.one.receive(&byte, 1, in(20s)) == Transfer::closed);
  }

  // A listener that accepts nobody takes a few connections and no more.
  void whoDoesNotAnswerIsWaitedForUntilTheDeadline() {
    const int full = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const Socket closes(full);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    QVERIFY(::bind(full, reinterpret_cast<sockaddr*>(&address), size) == 0 && ::listen(full, 0) == 0 &&
            ::getsockname(full, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    const std::string place = "tcp:127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    std::vector<Socket> connections;
    std::string thrown = "nothing was thrown";
    for (int i = 0; i < 10 && thrown == "nothing was thrown"; ++i)
      thrown = thrown_by([&] { connections.push_back(connect_to(place, in(50ms))); });
    QVERIFY(!connections.empty());
    QCOMPARE(thrown, "timeout: nothing answered at " + place + " in time");
  }

  // It comes in the midst of a wait, which goes on.
  void aSignalIsNoEnd() {
    struct sigaction action {
    }, before{};
    action.sa_handler = [](int) {};
    ::sigaction(SIGUSR2, &action, &before);
    Pair pair = connected();
    Listener listener("tcp:127.0.0.1");
    std::promise<pthread_t> promise;
    auto waits = std::async(std::launch::async, [&] {
      promise.set_value(::pthread_self());
      char byte = 0;
      const Transfer received = pair.other.receive(&byte, 1, in(60ms));
      return received == Transfer::timed_out && !listener.accept(in(60ms)).open();
    });
    const pthread_t thread = promise.get_future().get();
    for (int i = 0; i < 10; ++i) {
      std::this_thread::sleep_for(10ms);
      if (waits.wait_for(0s) != std::future_status::ready) ::pthread_kill(thread, SIGUSR2);
    }
    QVERIFY(waits.get());
    ::sigaction(SIGUSR2, &before, nullptr);
  }

  void whichHostsAreThisMachineAlone() {
    for (const char* own : {"127.0.0.1", "127.255.255.254", "::1"}) QVERIFY2(leads_to_loopback(own), own);
    for (const char* other : {"126.255.255.254", "128.0.0.1", "0.0.0.1", "::2", "2001:db8::1", "::"})
      QVERIFY2(!leads_to_loopback(other), other);
    QCOMPARE(address_towards("127.0.0.1"), "127.0.0.1");
  }

  // --- answers in HTTP ---

  void anAnswerHasAStatusAndABody() {
    const HttpAnswer answer = ask("HTTP/1.1 204 Nothing\r\nX: y\r\n\r\nthe\r\n\r\nbody");
    QCOMPARE(answer.status, 204);
    QCOMPARE(answer.body, "the\r\n\r\nbody");
    QCOMPARE(ask("HTTP/1.0 200 \r\n\r\n").body, "");
    QCOMPARE(ask("HTTP/1.0 201\r\n\r\n").status, 201);
  }

  void whatIsNoAnswerIsRefused_data() {
    const auto row = columns<QByteArray, QByteArray>({"says", "refusal"});
    row("nothing", "", "io: http://127.0.0.1:");
    row("no head", "HTTP/1.1 200 OK\r\n", " does not answer in HTTP");
    row("another version", "HTTP/2 200\r\n\r\n", " does not answer in HTTP");
    row("no status", "HTTP/1.1 OK\r\n\r\n", " does not answer in HTTP");
    row("half a line", "HTTP/1.1\r\n\r\n", " does not answer in HTTP");
    row("half a status", "HTTP/1.1 20\r\n\r\n", " does not answer in HTTP");
    row("more than a status", "HTTP/1.1 2000\r\n\r\n", " does not answer in HTTP");
    row("without an end", "HTTP/1.1 200 OK\r\n\r\n" + QByteArray(65536, 'x'), " answers without an end");
  }
  void whatIsNoAnswerIsRefused() {
    QFETCH(QByteArray, says);
    QFETCH(QByteArray, refusal);
    const std::string thrown = thrown_by([&] { ask(says.toStdString()); });
    VERIFY_HOLDS(thrown, refusal.toStdString());
    if (says.isEmpty()) VERIFY_HOLDS(thrown, " closed the connection");
  }

  void anAnswerMayBeLong() {
    const std::string start = "HTTP/1.1 200 OK\r\n\r\n";
    QCOMPARE(ask(start + std::string(65536 - start.size(), 'x')).body.size(), 65536 - start.size());
  }

  void withoutAPortItIsEighty() {
    for (const char* url : {"http://127.0.0.1", "http://127.0.0.1/"}) {
      const std::string thrown = thrown_by([&] { http_request("GET", url, "/a", "", 20s); });
      VERIFY_HOLDS(thrown, "127.0.0.1:80");
    }
  }

  // --- the scheduler's answers ---

  void addressesHaveTheLengthThatHostsMayHave() {
    const auto found = [](const std::string& address) {
      Listener listener("tcp:127.0.0.1");
      protocol::Environment environment;
      environment.supervisor_url = "http://" + listener.address().substr(4);
      auto served = std::async(std::launch::async, [&] {
        Socket socket = listener.accept(in(20s));
        std::string request;
        for (char byte = 0; !request.ends_with("\r\n\r\n"); request += byte)
          if (socket.receive(&byte, 1, in(20s)) != Transfer::done) return;
        socket.send("HTTP/1.1 200 OK\r\n\r\n[\"" + address + "\"]", in(20s));
      });
      return discover_master(environment, 20s);
    };
    for (const std::string& good :
         {std::string(253, 'a'), std::string("fe80::1"), std::string("node-1.cluster")})
      QCOMPARE(found(good), good);
    VERIFY_THROWS("failure", "expected the replicas' addresses", found(std::string(254, 'a')));
  }

  // --- where and how long replicas meet ---

  void onOneMachineTheyMeetSooner_data() {
    const auto row = columns<int, QString, QString, double, bool, int>(
        {"nodes", "folder", "master", "asked", "one", "time"});
    row("alone", 1, "", "127.0.0.1", 0, true, 30'000);
    row("by its name", 1, "", "localhost", 0, true, 30'000);
    row("by its name of six", 1, "", "::1", 0, true, 30'000);
    row("another loopback", 1, "", "127.5.0.1", 0, true, 30'000);
    row("a folder", 1, "/tmp", "10.0.0.3", 0, true, 30'000);
    row("another machine", 1, "", "10.0.0.3", 0, false, 120'000);
    row("two nodes", 2, "", "127.0.0.1", 0, false, 120'000);
    row("two nodes and a folder", 2, "/tmp", "127.0.0.1", 0, false, 120'000);
    row("as asked", 2, "", "10.0.0.3", 0.25, false, 250);
    row("as asked on one", 1, "", "127.0.0.1", 1.5, true, 1500);
  }
  void onOneMachineTheyMeetSooner() {
    QFETCH(int, nodes);
    QFETCH(QString, folder);
    QFETCH(QString, master);
    QFETCH(double, asked);
    protocol::Environment environment;
    environment.num_nodes = nodes;
    environment.rendezvous_dir = folder.toStdString();
    environment.master_address = master.toStdString();
    environment.meeting_timeout = asked;
    QTEST(one_machine(environment), "one");
    QCOMPARE(in_directory(environment), nodes == 1 && !folder.isEmpty());
    QTEST(static_cast<int>(meeting_time(environment, 30s).count()), "time");
    if (asked == 0 && nodes == 2) QCOMPARE(meeting_time(environment, 300s), 300s);
  }
};

BATCHSCOPE_TEST(TestWire)
#include "test_wire.moc"
