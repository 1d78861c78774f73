// SPDX-License-Identifier: Apache-2.0
//
// Requests as scripts write them, replies, errors and the status.
#include <cmath>

#include "batchscope/protocol/control.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestControl : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void requestsSurvive() {
    Request request;
    request.id = "a";
    request.command = Request::Command::rescale;
    request.replicas = 3;
    const Request back = Request::parse(request.line());
    QCOMPARE(back.id.dump(), request.id.dump());
    QCOMPARE(back.command, request.command);
    QCOMPARE(back.replicas, request.replicas);

    request.replicas.reset();
    request.auto_replicas = AutoReplicas{1, 4};
    const Request automatic = Request::parse(request.line());
    QVERIFY(!automatic.replicas);
    QVERIFY(automatic.auto_replicas == request.auto_replicas);

    request.auto_replicas.reset();
    request.devices = {"cpu:0", "cuda:GPU-5b1c"};
    request.by_pool = true;
    QCOMPARE(Request::parse(request.line()).devices, request.devices);
    QVERIFY(Request::parse(request.line()).by_pool);
  }

  void badRequestsSayWhatIsWrong_data() {
    const auto row = testing::columns<QByteArray, QByteArray>({"line", "hint"});
    row("no json", "hello", "JSON");
    row("no version", "{\"command\":\"status\"}", "version");
    row("newer", "{\"v\":2,\"command\":\"status\"}", "version 2");
    row("no command", "{\"v\":1}", "command");
    row("unknown", "{\"v\":1,\"command\":\"explode\"}", "explode");
    row("zero", "{\"v\":1,\"command\":\"rescale\",\"replicas\":0}", "replicas");
    row("missing", "{\"v\":1,\"command\":\"rescale\"}", "replicas");
    row("huge", "{\"v\":1,\"command\":\"rescale\",\"replicas\":1e30}", "replicas");
    row("range", "{\"v\":1,\"command\":\"rescale\",\"replicas\":\"auto:4-1\"}", "replicas");
    row("devices", R"({"v":1,"command":"rescale","devices":"cpu:0"})", "the field \"devices\"");
    row("no devices", R"({"v":1,"command":"rescale","devices":[]})", "cpu:0");
    row("no name", R"({"v":1,"command":"rescale","devices":[3]})", "cpu:0");
    row("no device", R"({"v":1,"command":"rescale","devices":["cpu:x"]})", "'cpu:x' is not a device");
    row("no number", R"({"v":1,"command":"rescale","devices":["cuda"]})", "'cuda' is not a device");
    row("core", R"({"v":1,"command":"rescale","devices":["core:0"]})", "'core:0' is not a device");
    row("two names", R"({"v":1,"command":"rescale","devices":["cpu:01"]})", "'cpu:01'");
    row("path", R"({"v":1,"command":"rescale","devices":["cuda:../x"]})", "'cuda:../x'");
    row("list", R"({"v":1,"command":"rescale","devices":["cuda:0,1"]})", "'cuda:0,1'");
    row("twice", R"({"v":1,"command":"rescale","devices":["cpu:0","cpu:0"]})", "named twice");
    row("devices and auto", R"({"v":1,"command":"rescale","devices":["cpu:0"],"replicas":"auto"})", "auto");
    row("by", R"({"v":1,"command":"pause","by":"me"})", "the field \"by\"");
    row("id", "{\"v\":1,\"id\":{},\"command\":\"status\"}", "id");
  }
  void badRequestsSayWhatIsWrong() {
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, hint);
    VERIFY_HOLDS(testing::thrown_by([&] { Request::parse(line.toStdString()); }), hint.toStdString());
  }

  void anErrorTravelsWithItsKind() {
    const Json reply = parse_object(error_line(7, Error(ErrorKind::conflict, "it is busy")));
    QCOMPARE(reply.at("id").get<int>(), 7);
    QCOMPARE(testing::thrown_by([&] { reply_result(reply); }), "conflict: it is busy");
    QCOMPARE(reply_result(parse_object(reply_line(7, {{"a", 1}}))).at("a").get<int>(), 1);
  }

  // People's scripts read it: `batchscope status --json`.
  void theStatusStaysWhatItIs() {
    RunStatus status;
    status.run = "abcdefgh";
    status.state = RunState::running;
    status.phase = "train";
    status.phase_seconds = 1.5;
    status.generation = 3;
    status.replicas = 2;
    status.target_replicas = 4;
    status.auto_replicas = "auto:1-4";
    status.step = 400;
    status.epoch = 5;
    status.epochs = 8;
    status.loop = "train";
    status.loop_fraction = 0.25;
    status.total_fraction = 0.5;
    status.progress = 410.5;
    status.elapsed = 60;
    status.remaining = 12.5;
    status.latest = {{"loss", 0.25}, {"gain", INFINITY}};
    status.message = "a sentence";
    status.devices = {"cpu:0", "cpu:1"};
    status.rescalable = true;
    status.max_profiled = 6;
    status.pause = 0.75;
    const Json expected = Json::parse(R"({
      "run":"abcdefgh","state":"running","phase":"train","phase_seconds":1.5,"generation":3,"replicas":2,
      "target_replicas":4,"auto_replicas":"auto:1-4","step":400,"epoch":5,"epochs":8,"loop":"train",
      "loop_fraction":0.25,"total_fraction":0.5,"progress":410.5,"elapsed":60.0,"remaining":12.5,
      "latest":{"loss":0.25,"gain":"inf"},"message":"a sentence","devices":["cpu:0","cpu:1"],
      "rescalable":true,"max_profiled":6,"pause":0.75})");
    QCOMPARE(Json(status).dump(), expected.dump());
    QCOMPARE(Json(expected.get<RunStatus>()).dump(), expected.dump());
    VERIFY_THROWS("usage", "malformed run status: field \"step\"", Json{{"step", "x"}}.get<RunStatus>());
  }

  void nothingOfAnEarlierStatusStays() {
    RunStatus status;
    status.step = 400;
    status.latest = {{"loss", 0.25}};
    Json{{"epoch", 2}}.get_to(status);
    RunStatus expected;
    expected.epoch = 2;
    QCOMPARE(Json(status).dump(), Json(expected).dump());
  }

  void aReplyOfAnotherFormIsRefused() {
    for (const char* reply : {R"({"ok":"yes"})", R"({"ok":false,"error":{"kind":7}})"})
      VERIFY_THROWS("usage", "malformed reply", reply_result(Json::parse(reply)));
  }
};

BATCHSCOPE_TEST(TestControl)
#include "test_control.moc"
