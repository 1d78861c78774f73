// SPDX-License-Identifier: Apache-2.0
//
// A restart part by part, over or under way, and the explorer's table of what another number of replicas
// would bring.
#include "batchscope/common/restart_text.h"

#include "batchscope/common/shown_json.h"
#include "batchscope/common/what_if_table.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::common;

namespace {

storage::Generation generationOn(int number, int replicas, double pause = -1) {
  storage::Generation generation;
  generation.number = number;
  generation.replicas = replicas;
  generation.pause = pause;
  return generation;
}

protocol::RunStatus restarting() {
  protocol::RunStatus status;
  status.state = protocol::RunState::restarting;
  status.generation = 1;
  status.replicas = 1;
  status.target_replicas = 2;
  status.phase = "launch";
  status.phase_seconds = 0.5;
  return status;
}

}  // namespace

class TestRestartText : public QObject {
  Q_OBJECT

  using State = RestartStep::State;

 private Q_SLOTS:
  void theLastRestartHasThePartsOfItsPause() {
    storage::Generation last = generationOn(1, 2, 0.31);
    last.pause_parts = {{"checkpoint", 0.012}, {"first step", 0.2}};
    const auto text = restartDone({generationOn(0, 1), last});
    QVERIFY(text);
    QCOMPARE(text->title, QStringLiteral("Last restart, 1 → 2, 0.31 s"));
    QCOMPARE(text->steps.size(), std::size_t(5));
    QCOMPARE(text->steps[0],
             (RestartStep{QStringLiteral("Checkpoint"), State::done, QStringLiteral("12 ms")}));
    QCOMPARE(text->steps[1], (RestartStep{QStringLiteral("Stop"), State::open, {}}));
    QCOMPARE(text->steps[4],
             (RestartStep{QStringLiteral("First step"), State::done, QStringLiteral("0.20 s")}));
    QVERIFY(!restartDone({generationOn(0, 1)}));
  }

  void aRestartUnderWaySaysHowFarItIs() {
    const protocol::Json shown = shownJson(restarting());
    const protocol::Json expected = {{"title", "Restarting, 1 → 2"},
                                     {"steps",
                                      {{{"part", "Checkpoint"}, {"state", "done"}, {"value", ""}},
                                       {{"part", "Stop"}, {"state", "done"}, {"value", ""}},
                                       {{"part", "Launch"}, {"state", "on"}, {"value", "0.5 s"}},
                                       {{"part", "Restore"}, {"state", "open"}, {"value", ""}},
                                       {{"part", "First step"}, {"state", "open"}, {"value", ""}}}}};
    QCOMPARE(shown.at("restart").dump(), expected.dump());
    protocol::RunStatus status = restarting();
    status.phase.clear();
    QVERIFY(shownJson(status).at("restart").is_null());
    status.phase = "a part of another version";
    QVERIFY(restartUnderWay(status, status.replicas)->steps == restartSteps({}));
  }

  void theTitleSaysWhenNothingChanges() {
    protocol::RunStatus status = restarting();
    status.replicas = 2;
    QCOMPARE(restartUnderWay(status, status.replicas)->title, QStringLiteral("Restarting on 2 replicas"));
    status.generation = 0;
    QCOMPARE(restartUnderWay(status, status.replicas)->title, QStringLiteral("Starting"));
  }

  void theTableOfWhatIf() {
    run::MeasuredRate rate;
    rate.goodput = 17890;
    rate.throughput = 20000;
    rate.efficiency = 0.8945;
    rate.step_time = 0.0032;
    OperatingPoint now{.replicas = 1, .batchSize = 64};
    GoodputPrediction prediction;
    prediction.best = OperatingPoint{.replicas = 2,
                                     .batchSize = 512,
                                     .accumulation = 1,
                                     .throughput = 25600,
                                     .efficiency = 0.72,
                                     .goodput = 18432,
                                     .error = 0.25};
    prediction.bestRange = {384, 700};
    std::vector<std::array<QString, 3>> rows;
    for (const WhatIfRow& row : whatIfTable(now, rate, prediction))
      rows.push_back({row.name, row.measured, row.predicted});
    const auto text = [](const char* word) { return QString::fromUtf8(word); };
    const std::vector<std::array<QString, 3>> expected{
        {text("Goodput, samples/s"), text("17,890"), predictedGoodput(*prediction.best)},
        {text("Throughput, samples/s"), text("20,000"), predictedText(25600)},
        {text("Statistical efficiency"), text("0.89"), predictedText(0.72, 2)},
        {text("Step time, ms"), text("3.20"), predictedText(20)},
        {text("Batch size"), text("64"), text("512 (384 to 700)")},
        {text("Local batch size"), text("64"), text("128")},
        {text("Accumulation steps"), text("0"), text("1")}};
    QCOMPARE(rows, expected);
    for (const WhatIfRow& row : whatIfTable({}, {}, {})) {
      QCOMPARE(row.measured, QStringLiteral("–"));
      VERIFY_HOLDS(row.predicted.toStdString(), "–");
    }
  }
};

BATCHSCOPE_TEST(TestRestartText)
#include "test_restart_text.moc"
