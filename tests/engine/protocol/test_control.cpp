// SPDX-License-Identifier: Apache-2.0
//
// Requests as scripts write them, replies, errors and the status.
#include "batchscope/protocol/control.h"
#include "test_case.h"

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
  }

  void badRequestsSayWhatIsWrong_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("hint");
    QTest::newRow("no json") << QByteArray("hello") << QByteArray("JSON");
    QTest::newRow("no version") << QByteArray("{\"command\":\"status\"}") << QByteArray("version");
    QTest::newRow("newer") << QByteArray("{\"v\":2,\"command\":\"status\"}") << QByteArray("version 2");
    QTest::newRow("no command") << QByteArray("{\"v\":1}") << QByteArray("command");
    QTest::newRow("unknown") << QByteArray("{\"v\":1,\"command\":\"explode\"}") << QByteArray("explode");
    QTest::newRow("zero") << QByteArray("{\"v\":1,\"command\":\"rescale\",\"replicas\":0}")
                          << QByteArray("replicas");
    QTest::newRow("missing") << QByteArray("{\"v\":1,\"command\":\"rescale\"}") << QByteArray("replicas");
    QTest::newRow("huge") << QByteArray("{\"v\":1,\"command\":\"rescale\",\"replicas\":1e30}")
                          << QByteArray("replicas");
    QTest::newRow("range") << QByteArray("{\"v\":1,\"command\":\"rescale\",\"replicas\":\"auto:4-1\"}")
                           << QByteArray("replicas");
    QTest::newRow("id") << QByteArray("{\"v\":1,\"id\":{},\"command\":\"status\"}") << QByteArray("id");
  }
  void badRequestsSayWhatIsWrong() {
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, hint);
    try {
      Request::parse(line.toStdString());
      QFAIL("accepted");
    } catch (const Error& e) {
      QVERIFY2(QByteArray(e.what()).contains(hint), e.what());
    }
  }

  void anErrorTravelsWithItsKind() {
    const Json reply = parse_object(error_line(7, Error(ErrorKind::conflict, "it is busy")));
    QCOMPARE(reply.at("id").get<int>(), 7);
    try {
      reply_result(reply);
      QFAIL("no error");
    } catch (const Error& e) {
      QCOMPARE(e.kind(), ErrorKind::conflict);
      QCOMPARE(e.what(), "it is busy");
    }
    QCOMPARE(reply_result(parse_object(reply_line(7, {{"a", 1}}))).at("a").get<int>(), 1);
  }

  void everyErrorKindHasANameAndACode() {
    for (int i = 0; i <= static_cast<int>(ErrorKind::io); ++i) {
      const auto kind = static_cast<ErrorKind>(i);
      QCOMPARE(parse_error_kind(error_kind_name(kind)), kind);
      QVERIFY(exit_code(kind) != kExitOk);
    }
  }

  void theStatusSurvives() {
    RunStatus status;
    status.run = "abcdefgh";
    status.state = RunState::running;
    status.replicas = 2;
    status.remaining = 12.5;
    status.latest = {{"loss", 0.25}, {"gain", 1.5}};
    const Json json = status;
    const auto back = Json::parse(json.dump()).get<RunStatus>();
    QCOMPARE(Json(back).dump(), json.dump());
    QCOMPARE(back.latest, status.latest);
  }
};

BATCHSCOPE_TEST(TestControl)
#include "test_control.moc"
