// SPDX-License-Identifier: Apache-2.0
//
// What the recorder makes of messages that the store will not have as they are.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/storage/samples.h"
#include "recorder.h"
#include "storage/full_disk.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

// A run in a store of its own, in its first generation.
struct Recorded {
  explicit Recorded(std::size_t most_waiting = Recorder::kMostWaiting)
      : recorder((protocol::make_run_directories(paths), catalogue), id, paths, most_waiting) {
    recorder.begin_generation(0);
  }

  static std::filesystem::path set_up(const QTemporaryDir& folder) {
    qputenv("BATCHSCOPE_DB", (folder.path() + "/runs.db").toUtf8());
    qputenv("XDG_STATE_HOME", folder.path().toUtf8());
    return protocol::catalogue_path();
  }

  QTemporaryDir folder;
  storage::Catalogue catalogue{set_up(folder)};
  const std::string id = catalogue.create_run({});
  const protocol::RunPaths paths = protocol::run_paths(id);
  Recorder recorder;
};

}  // namespace

class TestRecorder : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aLateValueIsLeftOutAndToldOnce() {
    Recorded recorded;
    auto& [folder, catalogue, id, paths, recorder] = recorded;
    // More than the tail holds: what came first is sealed.
    std::vector<double> many(70'000, 1);
    recorder.take(protocol::Steps{1, {{"mono", many}, {"loss", many}}, 0});
    recorder.commit();
    for (int i = 0; i < 3; ++i)
      recorder.take(protocol::Steps{5, {{"mono", {1}}, {"loss", {2}}, {"new", {3}}}, 0});
    recorder.take(protocol::Scalar{"loss", 5, 2});
    recorder.commit();
    recorder.flush();

    const auto events = catalogue.events(id);
    QCOMPARE(std::count_if(events.begin(), events.end(),
                           [](const auto& event) { return event.text.find("'loss'") != std::string::npos; }),
             1);
    storage::SampleReader reader(paths.samples);
    QCOMPARE(reader.read("loss", 0, 70'000).size(), 1u);
    QCOMPARE(reader.read("new", 0).size(), 3u);  // the others of the same message are kept
  }

  void checkpointsThatNobodyToldOfAreListedInTheirOrder() {
    QTemporaryDir folder;
    qputenv("BATCHSCOPE_DB", (folder.path() + "/runs.db").toUtf8());
    qputenv("XDG_STATE_HOME", folder.path().toUtf8());
    storage::Catalogue catalogue(protocol::catalogue_path());
    const std::string id = catalogue.create_run({});
    const protocol::RunPaths paths = protocol::run_paths(id);
    protocol::make_run_directories(paths);
    for (const int number : {0, 1, 2}) {
      protocol::Manifest manifest;
      manifest.step = 10 * number + 10;
      manifest.ledger = {{"train-0", 0, 0, 10 * number, 10 * number + 10, 0, 30, manifest.step}};
      const auto directory = paths.checkpoints / ("checkpoint-00000" + std::to_string(number));
      std::filesystem::create_directory(directory);
      protocol::write_manifest(directory, manifest);
    }
    Recorder recorder(catalogue, id, paths);
    recorder.begin_generation(3);
    recorder.adopt_checkpoints();
    recorder.restored("checkpoint-000001");
    recorder.flush();
    const auto ledger = catalogue.ledger(id);
    QCOMPARE(ledger.size(), 2u);
    QCOMPARE(ledger[0].entry.to, 10);
    QCOMPARE(ledger[1].entry.to, 20);
  }

  // The stretches of a validation that ended at the same step as the checkpoint are told apart.
  void theLedgerGoesBackToTheCheckpointThatIsUsed() {
    QTemporaryDir folder;
    qputenv("BATCHSCOPE_DB", (folder.path() + "/runs.db").toUtf8());
    qputenv("XDG_STATE_HOME", folder.path().toUtf8());
    storage::Catalogue catalogue(protocol::catalogue_path());
    const std::string id = catalogue.create_run({});
    const protocol::RunPaths paths = protocol::run_paths(id);
    protocol::make_run_directories(paths);
    Recorder recorder(catalogue, id, paths);
    recorder.begin_generation(0);

    const protocol::LedgerEntry trained{"train-0", 0, 0, 0, 20, 0, 20, 20},
        validated{"validate-0", 0, 0, 0, 5, 0, 10, 20}, later{"validate-0", 0, 0, 5, 10, 0, 10, 20};
    protocol::Manifest manifest;
    manifest.step = 20;
    manifest.ledger = {trained, validated};
    std::filesystem::create_directory(paths.checkpoints / "checkpoint-000000");
    protocol::write_manifest(paths.checkpoints / "checkpoint-000000", manifest);
    for (const auto& entry : {trained, validated, later}) recorder.take(entry);
    recorder.flush();
    recorder.restored("checkpoint-000000");
    recorder.flush();
    QCOMPARE(catalogue.ledger(id).size(), 2u);
    QCOMPARE(catalogue.ledger(id)[1].entry, validated);
    recorder.restored({});
    recorder.flush();
    QVERIFY(catalogue.ledger(id).empty());
  }

  // Long enough that memory cannot hold what comes: what is missing afterwards is what was counted.
  void aFullDiskIsToldWithWhatItCost() {
    Recorded recorded;
    Recorder& recorder = recorded.recorder;
    QStringList alerts;
    recorder.on_trouble = [&](const std::string& text) { alerts << QString::fromStdString(text); };
    constexpr int kSteps = 50'000, kMessages = 50;
    std::int64_t step = 1;
    const auto take = [&] {
      const std::vector<double> values(kSteps, 1);
      recorder.take(protocol::Steps{step, {{"mono", values}, {"loss", values}}, 0});
      step += kSteps;
      recorder.commit();
    };
    take();
    {
      const storage::test::FullDisk full(1);
      for (int i = 0; i < kMessages; ++i) take();
    }
    QCOMPARE(alerts.size(), 1);
    QVERIFY2(alerts[0].contains("training goes on"), qPrintable(alerts[0]));
    recorder.commit();
    take();
    recorder.flush();

    std::int64_t kept = 0;
    for (const auto& series : storage::SampleReader(recorded.paths.samples).series()) kept += series.count;
    const std::int64_t missing = 2 * (kMessages + 2) * kSteps - kept;
    QVERIFY(missing > 0);
    const auto events = recorded.catalogue.events(recorded.id);
    QCOMPARE(events.size(), 1u);
    QCOMPARE(events[0].level, std::string("warning"));
    QVERIFY2(events[0].text.find(std::to_string(missing) + " values of that time are missing") !=
                 std::string::npos,
             events[0].text.c_str());
    QCOMPARE(storage::SampleReader(recorded.paths.samples).read("loss", 0).back().step, step - 1);
  }

  // The same for the catalogue: what there may be many of is dropped and counted, the rest comes through.
  void aCatalogueThatCannotBeWrittenTakesNoMoreMemory() {
    constexpr std::size_t kMost = 50;
    Recorded recorded(kMost);
    Recorder& recorder = recorded.recorder;
    int alerts = 0;
    recorder.on_trouble = [&](const std::string&) { ++alerts; };
    {
      const storage::test::FullDisk full(1);
      for (int i = 0; i < 120; ++i) {
        recorder.event(i, "info", "event " + std::to_string(i));
        recorder.flush();
      }
      recorder.state(protocol::RunState::paused, "a person's wish");
      recorder.flush();
      QVERIFY(!recorder.flushed());
    }
    QCOMPARE(alerts, 1);
    while (!recorder.flushed()) recorder.flush();
    const auto events = recorded.catalogue.events(recorded.id);
    QCOMPARE(events.size(), kMost + 1);
    for (std::size_t i = 0; i < kMost; ++i) QCOMPARE(events[i].text, "event " + std::to_string(i));
    QCOMPARE(events.back().level, std::string("warning"));
    QVERIFY2(events.back().text.find("70 of them are missing") != std::string::npos,
             events.back().text.c_str());
    QCOMPARE(recorded.catalogue.run(recorded.id)->message, "a person's wish");
  }
};

QTEST_APPLESS_MAIN(TestRecorder)
#include "test_recorder.moc"
