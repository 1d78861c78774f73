// SPDX-License-Identifier: Apache-2.0
//
// Triggers and durations as people write them, and the spec's way through JSON.
#include <cmath>
#include <limits>

#include "batchscope/protocol/run_spec.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestRunSpec : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void triggersAreParsedAndWritten_data() {
    const auto row = testing::columns<QString, QString>({"text", "written"});
    row("epoch", "epoch=1:replicas=3", "epoch=1:replicas=3");
    row("step", "step=400:checkpoint", "step=400:checkpoint");
    row("iterations", "iterations=400:pause", "iterations=400:pause");
    row("progress", "progress=12.5:stop", "iterations=12.5:stop");
    row("seconds", "elapsed=30:pause", "elapsed=30s:pause");
    row("minutes", "elapsed=1.5m:pause", "elapsed=90s:pause");
    row("hours", "elapsed=2h:stop", "elapsed=7200s:stop");
  }
  void triggersAreParsedAndWritten() {
    QFETCH(QString, text);
    QFETCH(QString, written);
    const Trigger trigger = Trigger::parse(text.toStdString());
    QCOMPARE(QString::fromStdString(trigger.text()), written);
    QCOMPARE(Trigger::parse(trigger.text()), trigger);
  }

  void badTriggersAreQuoted_data() {
    testing::rows("text", {"", "step=400", "step:checkpoint", "week=1:stop", "step=1.5:stop", "step=-1:stop",
                           "step=x:stop", "step=1x:stop", "step:stop=1", "epoch=1:replicas",
                           "epoch=1:replicas=0", "epoch=1:replicas=1.5", "epoch=1:explode", "epoch=1:stop=2",
                           "elapsed=3x:stop", "step=nan:stop", "step=1e999:stop"});
  }
  void badTriggersAreQuoted() {
    QFETCH(QString, text);
    const QString at = text.section('=', 1, 1).section(':', 0, 0);
    VERIFY_THROWS("usage", at.toStdString(), Trigger::parse(text.toStdString()));
  }

  // Every field is another than its default.
  void theSpecSurvivesJson() {
    RunSpec spec;
    spec.name = "digits";
    spec.program = "/usr/bin/digits";
    spec.arguments = {"--epochs", "3", "--name", "ü \"q\""};
    spec.replicas = 3;
    spec.auto_replicas = AutoReplicas{2, 4};
    spec.efficiency_floor = 0.7;
    spec.triggers = {Trigger::parse("epoch=1:replicas=1"), Trigger::parse("elapsed=30s:stop")};
    spec.environment = {{"A", "b"}};
    spec.working_directory = "/work";
    spec.recipe = "/work/digits.toml";
    spec.devices_per_replica = 2;
    spec.oversubscribe = true;
    spec.device = "cpu";
    spec.tls = true;
    spec.group = "tries";
    spec.time_outs = {31, 46, 61, 121};
    spec.checkpoint_interval = 0;
    spec.restart_budget = 6;
    spec.non_finite = NonFinite::restore;
    spec.max_local_batch_size = 57;
    const Json json = spec;
    const Json defaults = RunSpec{};
    for (const auto& [field, value] : json.items()) QVERIFY2(value != defaults.at(field), field.c_str());
    const auto back = Json::parse(json.dump()).get<RunSpec>();
    QCOMPARE(Json(back).dump(), json.dump());
    QCOMPARE(back.triggers, spec.triggers);
    QVERIFY(back.auto_replicas == spec.auto_replicas);
    QVERIFY(!Json(RunSpec{}).get<RunSpec>().auto_replicas);
    from_json(Json::object(), spec);
    QCOMPARE(Json(spec).dump(), defaults.dump());  // what is not told is as it is by default
  }

  void aNumberOutOfItsRangeIsNowhereAccepted_data() {
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("value");
    const auto row = [](const char* field, const char* value) {
      QTest::addRow("%s %s", field, value) << QString(field) << QString(value);
    };
    for (const char* field : {"replicas", "restart_budget", "max_local_batch_size"})
      for (const char* value :
           {"-1", "-4294967297", "4294967297", "18446744073709551615", "1.5", "null", "\"2\""})
        row(field, value);
    for (const char* field : {"efficiency_floor", "checkpoint_interval", "collective_timeout", "hang_timeout",
                              "rescale_timeout", "checkpoint_timeout"})
      for (const char* value : {"-1", "1e300", "null", "\"nan\""}) row(field, value);
    row("replicas", "0");
    row("efficiency_floor", "1.01");
    row("auto_replicas", "\"auto:4-1\"");
    row("triggers", "[\"step=nan:stop\"]");
  }
  void aNumberOutOfItsRangeIsNowhereAccepted() {
    QFETCH(QString, field);
    QFETCH(QString, value);
    const std::string text = "{\"" + field.toStdString() + "\":" + value.toStdString() + "}";
    QCOMPARE(testing::kind_of([&] { Json::parse(text).get<RunSpec>(); }), "usage");
  }

  void whatJsonCannotHoldIsNoSpec() {
    const auto refuses = [](const auto& change) {
      RunSpec spec;
      change(spec);
      return testing::kind_of([&] { spec.check(); }) == "usage";
    };
    RunSpec{}.check();
    for (const double bad : {double(NAN), double(INFINITY), -double(INFINITY), -1.0}) {
      QVERIFY(refuses([&](RunSpec& spec) { spec.efficiency_floor = bad; }));
      QVERIFY(refuses([&](RunSpec& spec) { spec.checkpoint_interval = bad; }));
      QVERIFY(refuses([&](RunSpec& spec) { spec.time_outs.collective = bad; }));
      QVERIFY(refuses([&](RunSpec& spec) { spec.time_outs.step = bad; }));
      QVERIFY(refuses([&](RunSpec& spec) { spec.time_outs.rescale = bad; }));
      QVERIFY(refuses([&](RunSpec& spec) { spec.time_outs.checkpoint = bad; }));
      QVERIFY(refuses([&](RunSpec& spec) { spec.triggers = {{Trigger::When::step, bad}}; }));
    }
    QVERIFY(refuses([](RunSpec& spec) { spec.replicas = 0; }));
    QVERIFY(refuses([](RunSpec& spec) { spec.auto_replicas = AutoReplicas{3, 2}; }));
    QVERIFY(refuses([](RunSpec& spec) { spec.restart_budget = -1; }));
    QVERIFY(refuses([](RunSpec& spec) { spec.max_local_batch_size = -1; }));
  }

  // Each number at its bounds, and one beyond.
  void boundsBelongToTheirRanges() {
    constexpr int kMostSamples = std::numeric_limits<int>::max();
    const auto fits = [](const auto& change) {
      RunSpec spec;
      change(spec);
      return testing::kind_of([&] { spec.check(); }) == "nothing was thrown";
    };
    for (const auto& [count, allowed] : {std::pair{0, false}, {1, true}, {4096, true}, {4097, false}}) {
      QCOMPARE(fits([&](RunSpec& spec) { spec.replicas = count; }), allowed);
      QCOMPARE(fits([&](RunSpec& spec) { spec.auto_replicas = AutoReplicas{count, 0}; }), allowed);
      QCOMPARE(fits([&](RunSpec& spec) { spec.auto_replicas = AutoReplicas{count, count}; }), allowed);
      QCOMPARE(fits([&](RunSpec& spec) {
                 spec.triggers = {{Trigger::When::step, 1, Trigger::Action::replicas, count}};
               }),
               allowed);
      QCOMPARE(fits([&](RunSpec& spec) { spec.devices_per_replica = count; }), allowed || count == 0);
    }
    QVERIFY(fits([](RunSpec& spec) { spec.auto_replicas = AutoReplicas{1, 4096}; }));
    QVERIFY(!fits([](RunSpec& spec) { spec.auto_replicas = AutoReplicas{1, 4097}; }));
    for (const double floor : {0.0, 1.0})
      QVERIFY(fits([&](RunSpec& spec) { spec.efficiency_floor = floor; }));
    QVERIFY(!fits([](RunSpec& spec) { spec.efficiency_floor = 1.01; }));
    QVERIFY(fits([](RunSpec& spec) { spec.checkpoint_interval = kLongestDuration; }));
    QVERIFY(!fits([](RunSpec& spec) { spec.checkpoint_interval = kLongestDuration + 1; }));
    for (const auto& [budget, allowed] :
         {std::pair{0, true}, {kMostRestarts, true}, {kMostRestarts + 1, false}})
      QCOMPARE(fits([&](RunSpec& spec) { spec.restart_budget = budget; }), allowed);
    QVERIFY(fits([](RunSpec& spec) { spec.max_local_batch_size = kMostSamples; }));
    QVERIFY(!fits([](RunSpec& spec) { spec.max_local_batch_size = std::int64_t{kMostSamples} + 1; }));
    QCOMPARE(Trigger::parse("epoch=0:replicas=4096").replicas, 4096);
    VERIFY_THROWS("usage", "replicas needs a whole number", Trigger::parse("epoch=0:replicas=4097"));
  }

  void aTriggerIsAText() {
    VERIFY_THROWS("usage", "a trigger is a text such as \"step=400:checkpoint\", found 400",
                  Json{{"triggers", {400}}}.get<RunSpec>());
  }

  void aWrongFieldIsNamed() { VERIFY_THROWS("usage", "replicas", Json{{"replicas", "two"}}.get<RunSpec>()); }

  void whatIsNotASpecIsRefused() {
    VERIFY_THROWS("usage", "expected an object, found 5", Json(5).get<RunSpec>());
    VERIFY_THROWS("usage", "\"replicas\" has the wrong type", Json{{"replicas", 1ll << 40}}.get<RunSpec>());
  }
};

BATCHSCOPE_TEST(TestRunSpec)
#include "test_run_spec.moc"
