// SPDX-License-Identifier: Apache-2.0
//
// Frames on a line between nodes, as bytes: whole, in pieces, and as a stranger would have it.
#include <signal.h>

#include <cmath>

#include "nodes/frame.h"
#include "nodes/messages.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

std::string refusal(const std::function<void()>& call) { return testing::thrown_by(call); }

// Returns a splitter's error for these bytes.
std::string refusal_of(const std::string& bytes, std::size_t longest = kLongestFrame) {
  return refusal([&] {
    FrameSplitter splitter(longest);
    splitter.feed(bytes);
    Frame frame;
    splitter.next(frame);
  });
}

}  // namespace

class TestNodeFrames : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void framesComeInPieces() {
    const std::string bytes = encode(FrameKind::output, "one") + encode(FrameKind::beat);
    FrameSplitter splitter;
    Frame frame;
    std::vector<Frame> frames;
    for (const char byte : bytes) {
      splitter.feed({&byte, 1});
      while (splitter.next(frame)) frames.push_back(frame);
    }
    QCOMPARE(frames.size(), 2u);
    QCOMPARE(frames[0].bytes, std::string("one"));
    QVERIFY(frames[0].kind == FrameKind::output && frames[1].kind == FrameKind::beat);
    QVERIFY(frames[1].bytes.empty());
  }

  void whatIsNoFrameIsRefused() {
    VERIFY_HOLDS(refusal_of("GET / HTTP/1.0"), "no frame of kind 71");
    VERIFY_HOLDS(refusal_of(std::string(5, '\0')), "no frame of kind 0");
    VERIFY_HOLDS(refusal_of(std::string("\x01\xff\xff\xff\xff", 5)), "a frame of 4294967295 bytes");
    VERIFY_HOLDS(refusal_of(encode(FrameKind::hello, std::string(11, 'x')), 10), "at most 10");
    QCOMPARE(refusal_of(encode(FrameKind::hello, std::string(10, 'x')), 10),
             std::string("nothing was thrown"));
  }

  void ordersSurviveTheWay() {
    ReplicaOrder order{"/bin/digits", {"--epochs", "2 3"}, "/tmp", {{"A", "b=c"}, {"Ü", ""}}, "/elsewhere"};
    const ReplicaOrder came = decode_order(encode(order));
    QCOMPARE(came.program, order.program);
    QCOMPARE(came.arguments, order.arguments);
    QCOMPARE(came.working_directory, order.working_directory);
    QVERIFY(came.environment == order.environment);
    QVERIFY(came.log.empty());
    order.environment["X"] = "\xff";
    VERIFY_HOLDS(refusal([&] { encode(order); }), "UTF-8");
  }

  void allElseSurvivesTheWay() {
    const NodeHello hello = decode_hello(encode(NodeHello{"secret", Caller::supervisor}));
    QCOMPARE(hello.token, std::string("secret"));
    QVERIFY(hello.caller == Caller::supervisor);
    QVERIFY(decode_hello(encode(NodeHello{"secret", Caller::stand_in})).caller == Caller::stand_in);
    VERIFY_HOLDS(refusal([] { decode_hello(R"({"version":1,"token":"","caller":"passer-by"})"); }),
                 "neither a supervisor nor a replica");
    const ProgramOrder program =
        decode_program(encode(ProgramOrder{{"/bin/digits", {}, "/tmp", {}, ""}, "mark"}));
    QCOMPARE(program.program.program, std::string("/bin/digits"));
    QCOMPARE(program.mark, std::string("mark"));
    const StandInOrder stand_in = decode_stand_in(encode(
        StandInOrder{"10.0.0.2", 4711, {"token", true}, "/telemetry", "/checkpoints", program.program}));
    QCOMPARE(stand_in.address, std::string("10.0.0.2"));
    QCOMPARE(stand_in.port, 4711);
    QCOMPARE(stand_in.welcome.token, std::string("token"));
    QVERIFY(stand_in.welcome.tls);
    QCOMPARE(stand_in.telemetry_socket, std::string("/telemetry"));
    QCOMPARE(stand_in.checkpoints, std::string("/checkpoints"));
    QCOMPARE(stand_in.replica.program, std::string("/bin/digits"));
    for (const bool yes : {false, true}) {
      QCOMPARE(decode_ready(encode_ready(yes)), yes);
      QCOMPARE(decode_wanted(encode_wanted(yes)), yes);
    }
    const News news = decode_news(encode(News{"warning", "no \xff"}));  // what is no text is shown as such
    QCOMPARE(news.level, std::string("warning"));
    VERIFY_HOLDS(news.text, "no ");
    QCOMPARE(decode_beat(encode_beat(123.25)), 123.25);
    QCOMPARE(decode_status(encode_status(9)), 9);
    const OfferedCheckpoint offered =
        decode_offered(encode(OfferedCheckpoint{"checkpoint-000001", 4294967295u, {"checkpoint-000002"}}));
    QCOMPARE(offered.name, std::string("checkpoint-000001"));
    QCOMPARE(offered.manifest_crc32, 4294967295u);
    QCOMPARE(offered.later, std::vector<std::string>{"checkpoint-000002"});
    QVERIFY(decode_offered(encode(OfferedCheckpoint{})).name.empty());
  }

  void limitsAreTheLastThatAreTaken() {
    const auto at_port = [](int port) {
      return refusal([&] { decode_offer(encode(NodeOffer{"n2", "127.0.0.2", port, {{"cpu:0"}, {}}})); });
    };
    for (const int port : {1, 65535}) QCOMPARE(at_port(port), std::string("nothing was thrown"));
    for (const int port : {0, -1, 65536}) VERIFY_HOLDS(at_port(port), "there is no port");
    const auto digits = [](std::size_t count) {
      return refusal([&] { decode_welcome(encode(Welcome{std::string(count, 'a'), false})); });
    };
    QCOMPARE(digits(64), std::string("nothing was thrown"));
    for (const std::size_t count : {0, 63, 65}) VERIFY_HOLDS(digits(count), "64 digits");
    const auto announced = [](std::int64_t bytes) {
      return refusal([&] { decode_announced(encode(AnnouncedCheckpoint{"checkpoint-000001", bytes})); });
    };
    QCOMPARE(announced(1), std::string("nothing was thrown"));
    VERIFY_HOLDS(announced(0), "without a manifest");
    const auto of_kind = [](FrameKind kind) { return refusal_of(encode(kind, "x")); };
    for (const FrameKind kind : {FrameKind::hello, FrameKind::use})
      QCOMPARE(of_kind(kind), std::string("nothing was thrown"));
    VERIFY_HOLDS(of_kind(static_cast<FrameKind>(static_cast<int>(FrameKind::use) + 1)), "no frame of kind");
    QVERIFY(decode_telemetry(std::string_view("\0\0\0\1", 4)).bytes.empty());  // the end of that connection
    FrameSplitter splitter;
    splitter.feed(encode(FrameKind::output, std::string(70'000, 'x')));
    Frame frame;
    QVERIFY(splitter.next(frame));
    QCOMPARE(frame.bytes.size(), 70'000u);
  }

  void onlySignalsThatReplicasKnowAreHandedOn() {
    const HandedSignal came = decode_signal(encode(HandedSignal{SIGTERM, 1}));
    QCOMPARE(came.number, SIGTERM);
    QCOMPARE(came.value, 1);
    VERIFY_HOLDS(refusal([] { decode_signal(encode(HandedSignal{SIGSTOP, 0})); }), "is not handed on");
  }

  void anotherVersionIsNamed() {
    VERIFY_HOLDS(refusal([] { decode_hello(R"({"version":99,"token":"","caller":"replica"})"); }),
                 "version 99");
    VERIFY_HOLDS(refusal([] { decode_welcome(R"({"version":99,"token":""})"); }),
                 "the same batchscope on all nodes");
  }

  void nonsenseOffersAreRefused() {
    const NodeOffer offer{"n2", "127.0.0.2", 4711, {{"cpu:0"}, {}}};
    QCOMPARE(decode_offer(encode(offer)).machine.cores, offer.machine.cores);
    for (const NodeOffer& bad :
         {NodeOffer{"n/2", "127.0.0.2", 4711, {{"cpu:0"}, {}}},
          NodeOffer{"n2", "127.0.0.2", 0, {{"cpu:0"}, {}}}, NodeOffer{"n2", "127.0.0.2", 4711, {}},
          NodeOffer{"", "", 1, {{"cpu:0"}, {}}}})
      QVERIFY(refusal([&] { decode_offer(encode(bad)); }) != "nothing was thrown");
    QVERIFY(refusal([] { decode_offer("welcome to n2"); }) != "nothing was thrown");
  }

  void whoEncryptsItsLinesSaysSo() {
    for (const bool tls : {false, true}) {
      const Welcome welcome{std::string(64, 'a'), tls};
      const NodeOffer offer{"n2", "127.0.0.2", 4711, {{"cpu:0"}, {}}, tls};
      QCOMPARE(decode_welcome(encode(welcome)).tls, tls);
      QCOMPARE(decode_offer(encode(offer)).tls, tls);
      QCOMPARE(why_refused(offer, tls), std::string());
      VERIFY_HOLDS(why_refused(offer, !tls), "use the same batchscope on all nodes");
    }
    const NodeOffer older = decode_offer(
        R"({"version":1,"node":"n2","address":"127.0.0.2","port":4711,"cores":["cpu:0"],"gpus":[]})");
    VERIFY_HOLDS(why_refused(older, true), "does not encrypt its lines, which --tls asks for");
  }

  void tokensAreComparedWhole() {
    QVERIFY(same_token("abc", "abc"));
    QVERIFY(!same_token("abc", "abd"));
    QVERIFY(!same_token("abc", "xbc"));
    QVERIFY(!same_token("abc", "ab"));
    QVERIFY(!same_token("", "abc"));
  }

  void onlyWhatReplicasUseOfANodeIsTaken() {
    const NodeUse use{3, 1, {{"device/cpu/1", 0.5}, {"device/gpu_power/1", NAN}}};
    const NodeUse came = decode_use(encode(use));
    QCOMPARE(came.generation, 3);
    QCOMPARE(came.replicas, 1);
    QCOMPARE(came.values, (std::vector{std::pair<std::string, double>("device/cpu/1", 0.5)}));
    VERIFY_HOLDS(refusal([] { decode_use(encode(NodeUse{3, 1, {{"loss", 0}}})); }), "'loss' is not what");
  }

  void telemetryKeepsItsConnectionApart() {
    const std::string bytes = encode(TelemetryBytes{70000, "{}\n"});
    const TelemetryBytes came = decode_telemetry(bytes);
    QCOMPARE(came.connection, 70000u);
    QCOMPARE(came.bytes, std::string_view("{}\n"));
    VERIFY_HOLDS(refusal([] { decode_telemetry("abc"); }), "no connection");
  }
};

BATCHSCOPE_TEST(TestNodeFrames)
#include "test_node_frames.moc"
