// SPDX-License-Identifier: Apache-2.0
//
// Programs that know AdaptDL's protocol and not our telemetry: their hints are all that a supervisor hears.
#include <QUrl>

#include "batchscope/protocol/series.h"
#include "batchscope/storage/samples.h"
#include "engine/http/raw_http.h"
#include "played_run.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using protocol::RunStatus;
using Command = protocol::Request::Command;
namespace series = protocol::series;

class TestRunHints : public PlayedRun {
  Q_OBJECT

  static QByteArray asked(const PlayedReplica& replica, const QByteArray& method, const QByteArray& path,
                          const QByteArray& content = {}) {
    const QUrl url(QString::fromStdString(replica.variable("ADAPTDL_SUPERVISOR_URL")));
    return testing::exchange(static_cast<std::uint16_t>(url.port()),
                             method + " " + url.path().toLatin1() + path +
                                 " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                                 QByteArray::number(content.size()) + "\r\n\r\n" + content);
  }
  static int hint(const PlayedReplica& replica, const std::string& id, const QByteArray& content) {
    return testing::status(asked(replica, "PUT", "/hints/" + QByteArray::fromStdString(id), content));
  }

 private Q_SLOTS:
  void init() { begin(); }

  void theFirstHintsSayThatARunTrains() {
    protocol::RunSpec spec = played(2);
    spec.environment.erase("BATCHSCOPE_HTTP");  // it is not ours
    const std::string id = start(spec);
    const PlayedReplica a(file(""), 0, 0), b(file(""), 0, 1);
    QCOMPARE(testing::body(asked(a, "GET", "/discover/" + QByteArray::fromStdString(id) + "/0")),
             QByteArray(R"(["127.1.0.0","127.1.0.0"])"));
    QCOMPARE(hint(a, id, R"({"initBatchSize": "many"})"), 400);
    QCOMPARE(status(id).state, RunState::starting);
    QVERIFY(!status(id).rescalable);
    const QByteArray hints = R"({"initBatchSize": 64, "gradParams": {"norm": 0.5, "var": 2}})";
    QCOMPARE(hint(a, id, hints), 200);
    const RunStatus trains = status(id);
    QCOMPARE(trains.state, RunState::running);
    QVERIFY(trains.rescalable);
    QVERIFY(trains.pause > 0 && trains.pause < 60);  // since its launch
    QCOMPARE(trains.max_profiled, 2);
    QCOMPARE(trains.latest.at(series::kReplicas), 2.0);
    QCOMPARE(trains.latest.at(series::kNoiseScale), 256.0);
    QCOMPARE(hint(a, id, hints), 200);  // told once

    // A program that says hello says more than hints do.
    a.say_hello(later());
    a.tell(protocol::Notice{"info", "hello", 0});
    VERIFY_RUN(tells(id, "hello"));
    QCOMPARE(hint(a, id, R"({"initBatchSize": 128, "gradParams": {"norm": 0.5, "var": 2}})"), 200);
    QCOMPARE(status(id).latest.at(series::kNoiseScale), 256.0);
    ask(id, Command::pause);
    QVERIFY(a.gets("TERM\n") && b.gets("TERM\n"));
    a.exit(143);
    b.exit(143);
    VERIFY_RUN(comes_to(id, RunState::paused));
    QCOMPARE(hint(a, id, hints), 409);  // no generation is there
    ask(id, Command::stop);
    VERIFY_RUN(reaches(id, RunState::stopped));
    COMPARE_TOLD(id, kExecuted, "info: training on 2 replicas, as its first hints say", "info: hello",
                 "info: paused", "info: stopped");
    // The whole seconds of run time are its steps.
    storage::SampleReader samples(protocol::run_paths(id).samples);
    const auto times = samples.read(series::kTime, 0), scales = samples.read(series::kNoiseScale, 0);
    QCOMPARE(times.size(), 2u);
    QCOMPARE(scales.size(), 2u);
    for (const std::size_t i : {0u, 1u}) {
      QCOMPARE(times[i].step, scales[i].step);
      QVERIFY(times[i].step < 60 && times[i].value > 1e9);
    }
    const auto model = catalogue().model(id);
    QCOMPARE(model->init_batch_size, 64);
    QCOMPARE(model->grad_var, 2.0);
  }

  void whoWantsNoEndpointsHasNone_data() {
    QTest::addColumn<QString>("said");
    for (const char* const said : {"on", "off", "perhaps"}) QTest::newRow(said) << QString(said);
  }
  void whoWantsNoEndpointsHasNone() {
    QFETCH(QString, said);
    protocol::RunSpec spec = played(1);
    spec.environment["BATCHSCOPE_HTTP"] = said.toStdString();
    const std::string id = start(spec);
    const PlayedReplica a(file(""), 0, 0);
    QCOMPARE(a.variable("ADAPTDL_SUPERVISOR_URL").empty(), said == "off");
    if (said != "off") QCOMPARE(hint(a, id, R"({"initBatchSize": 64})"), 200);
    a.exit(0);
    VERIFY_RUN(reaches(id, RunState::finished));
  }
};

BATCHSCOPE_TEST(TestRunHints)
#include "test_run_hints.moc"
