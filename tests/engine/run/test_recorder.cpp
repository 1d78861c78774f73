// SPDX-License-Identifier: Apache-2.0
//
// The recorder's handling of messages that the store will not have as they are.
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>

#include "batchscope/protocol/manifest.h"
#include "batchscope/storage/samples.h"
#include "record/predecessor.h"
#include "record/recorder.h"
#include "storage/full_disk.h"
#include "test_case.h"
#include "thrown.h"

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

// One sample a step.
protocol::LedgerEntry trained(std::int64_t from, std::int64_t to) {
  return {"train-0", 0, 0, from, to, 0, 100, to};
}

void write(const protocol::RunPaths& paths, int number, const protocol::Ledger& ledger,
           std::int64_t ledger_from = 0) {
  protocol::Manifest manifest;
  manifest.step = ledger.back().entry.step;
  manifest.generation = ledger.back().generation;
  manifest.files = {{"model", 0, 0}};
  manifest.ledger = ledger;
  manifest.ledger_from = ledger_from;
  const auto directory = paths.checkpoints / protocol::checkpoint_name(number);
  std::filesystem::create_directory(directory);
  protocol::write_manifest(directory, manifest);
}

}  // namespace

class TestRecorder : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { recorded_.emplace(); }

  void aLateValueIsLeftOutAndToldOnce() {
    // More than the tail holds: what came first is sealed.
    std::vector<double> many(70'000, 1);
    recorder().take(protocol::Steps{1, {{"mono", many}, {"loss", many}}, 0});
    recorder().commit();
    for (int i = 0; i < 3; ++i)
      recorder().take(protocol::Steps{5, {{"mono", {1}}, {"loss", {2}}, {"new", {3}}}, 0});
    recorder().take(protocol::Scalar{"loss", 5, 2});
    recorder().commit();
    recorder().flush();

    const auto events = catalogue().events(id());
    QCOMPARE(std::count_if(events.begin(), events.end(),
                           [](const auto& event) { return event.text.find("'loss'") != std::string::npos; }),
             1);
    storage::SampleReader reader(paths().samples);
    QCOMPARE(reader.read("loss", 0, 70'000).size(), 1u);
    QCOMPARE(reader.read("new", 0).size(), 3u);  // the others of the same message are kept
  }

  void aSeriesWithoutAUsableNameIsLeftOutAndTold() {
    const std::string longest(1024, 'n');
    for (int i = 0; i < 2; ++i)
      for (const std::string& name : {std::string(), longest, longest + "n"})
        recorder().take(protocol::Scalar{name, 1 + i, 2});
    for (int i = 0; i < 1000; ++i) recorder().take(protocol::Scalar{longest + std::to_string(i), 1, 2});
    recorder().commit();
    recorder().flush();
    const auto series = storage::SampleReader(paths().samples).series();
    QCOMPARE(series.size(), 1u);
    QCOMPARE(series[0].name, longest);
    QCOMPARE(series[0].count, 2);
    const auto events = catalogue().events(id());
    QVERIFY2(events.size() >= 2 && events.size() <= 100, qPrintable(QString::number(events.size())));
    for (const auto& event : events) QVERIFY2(event.text.size() < 500, event.text.c_str());
  }

  void aTimeThatNoClockShowsIsRefused() {
    const auto refused = [&](const protocol::Message& message) {
      VERIFY_THROWS("usage", "is not a time", recorder().take(message));
    };
    protocol::CheckpointWritten ended, begun;
    protocol::Heartbeat beat;
    for (const double time : {1e18, 1e308, double(INFINITY), double(NAN), -1e18, 1.7e9}) {
      refused(protocol::EpochMark{0, true, 1, time});
      refused(protocol::EpochMark{0, false, 1, time});
      ended.mono = begun.began = beat.since = time;
      refused(ended);
      refused(begun);
      refused(protocol::Steps{1, {{"mono", {1, time}}, {"loss", {1, 1}}}, 0});
      refused(protocol::Scalar{"loss", 1, 1, time});
      refused(beat);
    }
    recorder().take(protocol::EpochMark{0, true, 1, 1});
    recorder().commit();
    recorder().flush();
    QCOMPARE(catalogue().epochs(id()).size(), 1u);
    QVERIFY(catalogue().checkpoints(id()).empty());
    QVERIFY(storage::SampleReader(paths().samples).series().empty());
  }

  void stepsAreOfTheWallsClock() {
    const double offset = storage::now() - protocol::monotonic_seconds();
    recorder().take(protocol::Steps{5, {{"mono", {100, 101.5}}, {"loss", {3, 2}}}, 0});
    QCOMPARE(recorder().last_step(), 6);
    recorder().take(protocol::Steps{7, {{"mono", {}}}, 0});  // of no step
    QCOMPARE(recorder().last_step(), 6);
    recorder().commit();
    storage::SampleReader reader(paths().samples);
    const auto times = reader.read("time", 0);
    QCOMPARE(times.size(), 2u);
    QCOMPARE(times[0].step, 5);
    QVERIFY(std::abs(times[0].value - (100 + offset)) < 5);
    QVERIFY(std::abs(times[1].value - times[0].value - 1.5) < 1e-5);
    QVERIFY(reader.read("mono", 0).empty());
    recorder().begin_generation(1);
    QCOMPARE(recorder().last_step(), 0);
  }

  void stepsThatWereMissedAreToldAsTheyCome() {
    std::int64_t step = 1;
    for (const std::int64_t dropped : {3, 3, 5})
      recorder().take(protocol::Steps{step++, {{"mono", {1}}}, dropped});
    recorder().begin_generation(1);  // counts anew
    recorder().take(protocol::Steps{step++, {{"mono", {1}}}, 2});
    recorder().flush();
    QStringList told;
    for (const auto& event : catalogue().events(id()))
      told << QString::fromStdString(event.text).section(' ', 0, 1);
    QCOMPARE(told, (QStringList{"3 steps", "2 steps", "2 steps"}));
  }

  void whatIsNoStepIsRefused() {
    VERIFY_THROWS("usage", "steps begin with 1", recorder().take(protocol::Steps{0, {{"mono", {1}}}, 0}));
    VERIFY_THROWS("usage", "carry the column \"mono\"",
                  recorder().take(protocol::Steps{1, {{"loss", {1}}}, 0}));
    VERIFY_THROWS("usage", "at least 0", recorder().take(protocol::Scalar{"loss", -1, 2}));
    recorder().take(protocol::Steps{1, {{"mono", {1}}}, 0});
    recorder().take(protocol::Scalar{"loss", 0, 2});
  }

  // However many restarts it saw; what a crash threw back begins again.
  void anEpochIsOneRow() {
    recorder().take(protocol::EpochMark{0, true, 0, 10});
    recorder().take(protocol::EpochMark{0, false, 8, 20});
    recorder().take(protocol::EpochMark{1, true, 8, 21});
    recorder().begin_generation(1);
    recorder().take(protocol::EpochMark{1, false, 16, 40});
    recorder().take(protocol::EpochMark{2, true, 16, 41});
    recorder().begin_generation(2);
    recorder().take(protocol::EpochMark{2, true, 16, 60});
    recorder().take(protocol::EpochMark{3, false, 30, 80});  // of whose begin nobody heard
    recorder().flush();
    std::map<std::pair<int, int>, storage::Epoch> rows;  // by number and generation
    for (const storage::Epoch& epoch : catalogue().epochs(id()))
      rows[{epoch.number, epoch.generation}] = epoch;
    const auto is = [&](int number, int generation, std::int64_t first, std::int64_t last, double seconds) {
      const storage::Epoch& row = rows.at({number, generation});
      return row.first_step == first && row.last_step == last &&
             (last == 0 ? row.ended == 0 : std::abs(row.ended - row.started - seconds) < 1e-5);
    };
    QVERIFY(is(0, 0, 1, 8, 10));
    QVERIFY(is(1, 0, 9, 16, 19));
    QVERIFY(is(2, 2, 17, 0, 0));
    QVERIFY(is(3, 2, 31, 30, 0));
  }

  void aCheckpointIsListedWithItsTimeWhileItIsThere() {
    const auto take = [&](int number) {
      write(paths(), number, {{0, trained(0, 10)}});
      protocol::CheckpointWritten written;
      written.name = protocol::checkpoint_name(number);
      written.reason = "manual";
      written.step = 10;
      written.epoch = 2;
      written.progress = 3.5;
      written.bytes = 77;
      written.began = 100;
      written.mono = 101.5;
      recorder().take(written);
      recorder().flush();
    };
    take(0);
    const storage::Checkpoint row = catalogue().checkpoints(id()).at(0);
    QCOMPARE(row.name, "checkpoint-000000");
    QCOMPARE(row.reason, "manual");
    QCOMPARE(row.step, 10);
    QCOMPARE(row.epoch, 2);
    QCOMPARE(row.progress, 3.5);
    QCOMPARE(row.bytes, 77);
    QCOMPARE(row.seconds, 1.5);
    QVERIFY(std::abs(row.time - recorder().wall(101.5)) < 1e-5);
    std::filesystem::remove_all(paths().checkpoints / "checkpoint-000000");
    take(1);
    QCOMPARE(catalogue().checkpoints(id()).size(), 1u);
    QCOMPARE(catalogue().checkpoints(id()).at(0).name, "checkpoint-000001");
  }

  // --- what an earlier supervisor left ---

  void theNextGenerationIsBeyondAllThatLeftSomething() {
    const auto next = [&](const std::vector<int>& numbers) {
      std::vector<storage::Generation> generations;
      for (const int number : numbers) generations.emplace_back().number = number;
      return next_generation(generations, paths());
    };
    QCOMPARE(next({}), 0);
    QCOMPARE(next({0}), 1);
    QCOMPARE(next({4, 2}), 5);
    std::filesystem::create_directories(paths().logs);
    std::ofstream(paths().log_file(6, 1)) << "its supervisor died";
    std::ofstream(paths().logs / "fork-server.log") << "";
    QCOMPARE(next({4, 2}), 7);
    QCOMPARE(next({9}), 10);
  }

  void runTimeIsThatOfTheGenerations() {
    std::vector<storage::Generation> generations(3);
    generations[0].started = 100;
    generations[0].ended = 130;
    generations[1].started = 200;  // has not ended
    generations[2].started = 300;
    generations[2].ended = 312.5;
    QCOMPARE(time_in_generations(generations), 42.5);
    QCOMPARE(time_in_generations({}), 0.0);
  }

  // As late as its series go, and no earlier than it began.
  void aGenerationThatWasCutOffEndsWithItsLastStep() {
    for (const int number : {0, 1, 2}) {
      storage::Generation begun;
      begun.number = number;
      begun.started = 1e9 + 100 * number;
      if (number == 1) begun.ended = 1e9 + 150, begun.last_step = 4, begun.outcome = "finished";
      if (number == 2) begun.last_step = 9;
      catalogue().put_generation(id(), begun);
    }
    recorder().measured(7, {{"time", 1e9 + 60}});
    recorder().begin_generation(2);
    recorder().measured(8, {{"time", 1e9 + 190}});
    recorder().commit();
    reconcile(catalogue(), *catalogue().run(id()), paths());
    const auto generations = catalogue().generations(id());
    QCOMPARE(generations.at(0).ended, 1e9 + 60);
    QCOMPARE(generations.at(0).last_step, 7);
    QCOMPARE(generations.at(0).outcome, "interrupted");
    QCOMPARE(generations.at(1).ended, 1e9 + 150);
    QCOMPARE(generations.at(1).outcome, "finished");
    QCOMPARE(generations.at(2).ended, 1e9 + 200);
    QCOMPARE(generations.at(2).last_step, 9);
  }

  // A store of before holds one: the generation ended when it began, for all that is known.
  void aTimeOfASeriesThatIsNoneEndsNoGeneration() {
    storage::Generation begun;
    begun.started = 1e9;
    catalogue().put_generation(id(), begun);
    recorder().measured(1, {{"time", 1e18}});
    recorder().commit();
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QCOMPARE(catalogue().generations(id()).at(0).ended, 1e9);
  }

  void checkpointsThatNobodyToldOfAreListedInTheirOrder() {
    for (const int number : {0, 1, 2}) write(paths(), number, {{3, trained(0, 10 * number + 10)}});
    recorder().begin_generation(3);
    recorder().adopt_checkpoints();
    recorder().flush();
    QCOMPARE(catalogue().checkpoints(id()).size(), 3u);
    QCOMPARE(catalogue().ledger(id()).back().entry.to, 30);
    recorder().restored("checkpoint-000001");
    recorder().flush();
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{3, trained(0, 20)}}));
  }

  // Removing the newest leaves its name to the next one, which is another checkpoint.
  void aNameThatIsUsedAgainIsListedAnew() {
    write(paths(), 0, {{0, trained(0, 10)}});
    write(paths(), 1, {{0, trained(0, 20)}});
    recorder().adopt_checkpoints();
    recorder().flush();
    std::filesystem::remove_all(paths().checkpoints / "checkpoint-000001");
    write(paths(), 1, {{0, trained(0, 50)}});
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QCOMPARE(catalogue().checkpoints(id()).size(), 2u);
    for (const auto& checkpoint : catalogue().checkpoints(id()))
      QCOMPARE(checkpoint.step, checkpoint.name == "checkpoint-000000" ? 10 : 50);
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{0, trained(0, 50)}}));
  }

  // The catalogue could not be written for a while, checkpoints went their way, and the supervisor was killed
  // with all that it knew; what it had told of a time that was undone is in the catalogue().
  void oneCheckpointKnowsTheWholeLedger() {
    catalogue().put_generation(id(), {});
    for (const std::int64_t from : {0, 10, 20}) recorder().take(trained(from, from + 10));
    recorder().flush();
    const protocol::Ledger whole{{0, trained(0, 20)}, {1, trained(20, 40)}, {3, trained(40, 70)}};
    write(paths(), 8, whole);
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QVERIFY(catalogue().ledger(id()) == whole);
    QCOMPARE(catalogue().checkpoints(id()).at(0).generation, 3);
  }

  // A generation's record beyond its last checkpoint lasts where it ended in order; what is missing of the
  // time before is in the checkpoint.
  void whatTheCatalogueMissedIsMadeGood() {
    recorder().take(trained(0, 10));
    recorder().take(trained(30, 40));
    recorder().flush();
    write(paths(), 2, {{0, trained(0, 30)}});
    recorder().adopt_checkpoints();
    recorder().flush();
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{0, trained(0, 30)}, {0, trained(30, 40)}}));
  }

  // A validation that is repeated within an epoch is the same stretch of the same pass.
  void whatIsValidatedAgainCountsAgain() {
    const auto validated = [](std::int64_t step) {
      return protocol::LedgerEntry{"validate-0", 0, 0, 0, 10, 0, 10, step};
    };
    const protocol::Ledger until{{0, trained(0, 10)}, {0, validated(10)}, {0, validated(20)}};
    for (const auto& [generation, entry] : until) recorder().take(entry);
    recorder().take(trained(10, 30));
    recorder().take(validated(30));
    recorder().flush();
    write(paths(), 2, until);
    recorder().adopt_checkpoints();
    recorder().flush();
    QCOMPARE(catalogue().ledger(id()).size(), 5u);
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QVERIFY(catalogue().ledger(id()) == until);
  }

  // The ledger of a checkpoint that is there for a person to look at is not what lasted.
  void aCheckpointOfAnotherTimeIsNotTakenIn() {
    write(paths(), 1, {{0, trained(0, 10)}});
    write(paths(), 2, {{0, trained(0, 20)}});  // that could not be loaded
    recorder().begin_generation(1);
    recorder().restored("checkpoint-000001");
    recorder().take(trained(10, 15));
    recorder().adopt_checkpoints();
    recorder().flush();
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{0, trained(0, 10)}, {1, trained(10, 15)}}));
    QCOMPARE(catalogue().checkpoints(id()).size(), 2u);
  }

  // The run's checkpoints held what came since the one before, and the catalogue the rest.
  void aRunOfVersion1GoesOn() {
    catalogue().put_generation(id(), {});
    for (const std::int64_t from : {0, 10, 20}) recorder().take(trained(from, from + 10));
    recorder().flush();
    const protocol::LedgerEntry last = trained(10, 20);
    const auto old = paths().checkpoints / "checkpoint-000001";
    std::filesystem::create_directory(old);
    std::ofstream(old / "manifest.json")
        << protocol::Json{{"version", 1},
                          {"step", 20},
                          {"epoch", 0},
                          {"progress", 1},
                          {"num_replicas", 1},
                          {"reason", "exit"},
                          {"files", {{{"name", "model"}, {"bytes", 0}, {"crc32", 0}}}},
                          {"ledger", {protocol::Json::parse(protocol::encode(last))}}};
    recorder().begin_generation(1);
    recorder().restored("checkpoint-000001");
    recorder().flush();
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{0, trained(0, 10)}, {0, trained(10, 20)}}));
    // The first of the new version says as much as it can.
    recorder().take(trained(20, 25));
    recorder().flush();
    write(paths(), 2, {{-1, last}, {1, trained(20, 28)}}, 20);
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QVERIFY((catalogue().ledger(id()) ==
             protocol::Ledger{{0, trained(0, 10)}, {0, trained(10, 20)}, {1, trained(20, 28)}}));
  }

  // The stretches of a validation that ended at the same step as the checkpoint are told apart.
  void theLedgerGoesBackToTheCheckpointThatIsUsed() {
    const protocol::LedgerEntry trained{"train-0", 0, 0, 0, 20, 0, 20, 20},
        validated{"validate-0", 0, 0, 0, 5, 0, 10, 20}, later{"validate-0", 0, 0, 5, 10, 0, 10, 20};
    write(paths(), 0, {{0, trained}, {0, validated}});
    for (const auto& entry : {trained, validated, later}) recorder().take(entry);
    recorder().flush();
    recorder().restored("checkpoint-000000");
    recorder().flush();
    QCOMPARE(catalogue().ledger(id()).size(), 2u);
    QCOMPARE(catalogue().ledger(id())[1].entry, validated);
    recorder().restored({});
    recorder().flush();
    QVERIFY(catalogue().ledger(id()).empty());
  }

  // Long enough that memory cannot hold what comes: what is missing afterwards is what was counted.
  void aFullDiskIsToldWithWhatItCost() {
    QStringList alerts;
    recorder().on_trouble = [&](const std::string& text) { alerts << QString::fromStdString(text); };
    constexpr int kSteps = 50'000, kMessages = 50;
    std::int64_t step = 1;
    const auto take = [&] {
      const std::vector<double> values(kSteps, 1);
      recorder().take(protocol::Steps{step, {{"mono", values}, {"loss", values}}, 0});
      step += kSteps;
      recorder().commit();
    };
    take();
    {
      const storage::test::FullDisk full(1);
      for (int i = 0; i < kMessages; ++i) take();
    }
    QCOMPARE(alerts.size(), 1);
    QVERIFY2(alerts[0].contains("training goes on"), qPrintable(alerts[0]));
    recorder().commit();
    take();
    recorder().flush();

    std::int64_t kept = 0;
    for (const auto& series : storage::SampleReader(paths().samples).series()) kept += series.count;
    const std::int64_t missing = 2 * (kMessages + 2) * kSteps - kept;
    QVERIFY(missing > 0);
    const auto events = catalogue().events(id());
    QCOMPARE(events.size(), 1u);
    QCOMPARE(events[0].level, std::string("warning"));
    VERIFY_HOLDS(events[0].text, std::to_string(missing) + " values of that time are missing");
    QCOMPARE(storage::SampleReader(paths().samples).read("loss", 0).back().step, step - 1);
  }

  // The same for the catalogue: what there may be many of is dropped and counted, the rest comes through.
  void aCatalogueThatCannotBeWrittenTakesNoMoreMemory() {
    constexpr std::size_t kMost = 50;
    recorded_.emplace(kMost);
    int alerts = 0;
    recorder().on_trouble = [&](const std::string&) { ++alerts; };
    {
      const storage::test::FullDisk full(1);
      for (int i = 0; i < 120; ++i) {
        recorder().event(i, "info", "event " + std::to_string(i));
        recorder().flush();
      }
      recorder().state(protocol::RunState::paused, "a person's wish");
      recorder().flush();
      QVERIFY(!recorder().flushed());
    }
    QCOMPARE(alerts, 1);
    while (!recorder().flushed()) recorder().flush();
    const auto events = catalogue().events(id());
    QCOMPARE(events.size(), kMost + 1);
    for (std::size_t i = 0; i < kMost; ++i) QCOMPARE(events[i].text, "event " + std::to_string(i));
    QCOMPARE(events.back().level, std::string("warning"));
    VERIFY_HOLDS(events.back().text, "70 of them are missing");
    QCOMPARE(catalogue().run(id())->message, "a person's wish");
  }

 private:
  storage::Catalogue& catalogue() { return recorded_->catalogue; }
  const std::string& id() const { return recorded_->id; }
  const protocol::RunPaths& paths() const { return recorded_->paths; }
  Recorder& recorder() { return recorded_->recorder; }

  std::optional<Recorded> recorded_;
};

BATCHSCOPE_TEST(TestRecorder)
#include "test_recorder.moc"
