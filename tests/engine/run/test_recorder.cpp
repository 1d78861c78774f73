// SPDX-License-Identifier: Apache-2.0
//
// The recorder's handling of messages that the store will not have as they are.
#include <fcntl.h>
#include <sys/stat.h>

#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <optional>

#include "batchscope/protocol/manifest.h"
#include "batchscope/storage/samples.h"
#include "record/predecessor.h"
#include "record/recorder.h"
#include "storage/full_disk.h"
#include "storage/store_test.h"
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

  void whatIsLeftOutIsToldInEachGeneration() {
    for (const int generation : {4, 5}) {
      recorder().begin_generation(generation);
      for (int i = 0; i < 2; ++i) recorder().take(protocol::Scalar{"", 1, 2});
    }
    recorder().flush();
    const auto events = catalogue().events(id());
    QCOMPARE(events.size(), 2u);
    for (const std::size_t i : {0u, 1u}) QCOMPARE(events[i].generation, static_cast<int>(i) + 4);
  }

  void whatIsToldBesideStepsIsKept() {
    recorder().begin_generation(2);
    recorder().take(protocol::Hyperparameters{{{"lr", "0.1"}}});
    protocol::Model model;
    model.init_batch_size = 32;
    recorder().take(model);
    recorder().take(trained(0, 10));
    recorder().flush();
    QCOMPARE(catalogue().hyperparameters(id()), (std::map<std::string, std::string>{{"lr", "0.1"}}));
    QCOMPARE(catalogue().model(id())->init_batch_size, 32);
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{2, trained(0, 10)}}));
  }

  // A person may have moved the run to another one meanwhile.
  void theGroupOfARunIsAPersons() {
    protocol::RunSpec spec = catalogue().run(id())->spec;
    spec.group = "moved";
    catalogue().set_spec(id(), spec);
    spec.group = "as it began";
    spec.replicas = 7;
    recorder().spec(spec);
    recorder().flush();
    QCOMPARE(catalogue().run(id())->spec.group, "moved");
    QCOMPARE(catalogue().run(id())->spec.replicas, 7);
  }

  // The next one says more.
  void progressGivesWayToWhatWaits() {
    recorder().event(1, "info", "first");
    recorder().progress(5, 1, 3, 0.5, {{"loss", 0.25}});
    recorder().flush();
    QCOMPARE(catalogue().run(id())->step, 0);
    recorder().progress(6, 1, 3, 0.5, {{"loss", 0.25}});
    recorder().flush();
    const storage::Run run = *catalogue().run(id());
    QCOMPARE(run.step, 6);
    QCOMPARE(run.epoch, 1);
    QCOMPARE(run.epochs, 3);
    QCOMPARE(run.fraction, 0.5);
    QCOMPARE(run.latest.at("loss"), 0.25);
  }

  void damagedSeriesAreSetAside() {
    const std::string other = catalogue().create_run({});
    const protocol::RunPaths folder = protocol::run_paths(other);
    protocol::make_run_directories(folder);
    for (const int number : {1, 2}) {
      std::ofstream(folder.samples) << "not a database, but long enough to be one: "
                                    << std::string(4096, '?');
      Recorder next(catalogue(), other, folder);
      for (const int generation : {number, 8}) next.begin_generation(generation);
      next.measured(1, {{"loss", 0.5}});
      next.commit();
      next.flush();
      const auto events = catalogue().events(other);
      QCOMPARE(events.size(), static_cast<std::size_t>(number));  // told once
      QCOMPARE(events.back().generation, number);
      QCOMPARE(events.back().level, "warning");
      const std::string aside = folder.samples.filename().string() + ".damaged-" + std::to_string(number);
      VERIFY_HOLDS(events.back().text, "were set aside as " + aside + "; 0 of their values");
      QVERIFY(std::filesystem::exists(folder.samples.parent_path() / aside));
      QCOMPARE(storage::SampleReader(folder.samples).read("loss", 8).size(), 1u);
    }
    // Whatever else is in the way is nothing that could be set aside.
    std::filesystem::remove(folder.samples);
    std::filesystem::create_directory(folder.samples);
    VERIFY_THROWS("io", folder.samples.string(), Recorder(catalogue(), other, folder));
  }

  // Values of a supervisor that was killed, which its disk has lost.
  void whatTheSeriesLackIsToldOnce() {
    const std::string other = catalogue().create_run({});
    const protocol::RunPaths folder = protocol::run_paths(other);
    protocol::make_run_directories(folder);
    {
      const auto before = paths().root / "before" / "samples.db";
      std::filesystem::create_directory(before.parent_path());
      storage::SampleWriter killed(before);
      for (const char* const series : {"x", "y"}) killed.append(0, series, 1, 1.0);
      killed.commit();
      for (const char* const suffix : {"", "-wal"})
        std::filesystem::copy_file(before.string() + suffix, folder.samples.string() + suffix);
    }
    QVERIFY(storage::test::meddle(folder.samples, "DELETE FROM track WHERE series = 'y'"));
    Recorder next(catalogue(), other, folder);
    for (int i = 0; i < 2; ++i) next.commit();
    next.flush();
    const auto events = catalogue().events(other);
    QCOMPARE(events.size(), 1u);
    QCOMPARE(events[0].level, "warning");
    VERIFY_HOLDS(events[0].text, "steps 1 to 1 of a series that is not listed");
  }

  void aTimeThatNoClockShowsIsRefused() {
    const auto refused = [&](const protocol::Message& message) {
      VERIFY_THROWS("usage", "is not a time", recorder().take(message));
    };
    protocol::CheckpointWritten ended, begun, stepped;
    protocol::Heartbeat beat;
    protocol::Hello hello;
    for (const double time : {1e18, 1e308, double(INFINITY), double(NAN), -1e18, 1.7e9, 1e9}) {
      refused(protocol::EpochMark{0, true, 1, time});
      refused(protocol::EpochMark{0, false, 1, time});
      ended.mono = begun.began = stepped.last_step = beat.since = hello.started = time;
      refused(ended);
      refused(begun);
      refused(stepped);
      refused(hello);
      refused(protocol::Steps{1, {{"mono", {1, time}}, {"loss", {1, 1}}}, 0});
      refused(protocol::Scalar{"loss", 1, 1, time});
      refused(beat);
    }
    recorder().take(protocol::EpochMark{0, true, 1, 9e8});
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
    recorder().measured(6, {{"time", 1e9 + 50}});
    recorder().measured(7, {{"time", 1e9 + 60}});
    recorder().begin_generation(2);
    recorder().measured(8, {{"time", 1e9 + 190}});
    recorder().commit();
    catalogue().set_progress(id(), 8, 0, 0, 0, {});  // of which the first generation has no series
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

  void aCheckpointThatNobodyToldOfIsListedAsItIs() {
    protocol::Manifest manifest;
    manifest.step = 40;
    manifest.epoch = 2;
    manifest.progress = 3.5;
    manifest.reason = "manual";
    manifest.generation = 0;
    manifest.files = {{"model", 30, 0}, {"optimizer", 47, 0}};
    const auto directory = paths().checkpoints / "checkpoint-000001";
    std::filesystem::create_directory(directory);
    protocol::write_manifest(directory, manifest);
    const timespec times[] = {{1'000'000'000, 0}, {1'000'000'000, 500'000'000}};
    QCOMPARE(utimensat(AT_FDCWD, directory.c_str(), times, 0), 0);
    recorder().adopt_checkpoints();
    recorder().flush();
    const storage::Checkpoint found = catalogue().checkpoints(id()).at(0);
    QCOMPARE(found.name, "checkpoint-000001");
    QCOMPARE(found.generation, 0);
    QCOMPARE(found.step, 40);
    QCOMPARE(found.epoch, 2);
    QCOMPARE(found.progress, 3.5);
    QCOMPARE(found.time, 1e9 + 0.5);
    QCOMPARE(found.seconds, 0.0);
    QCOMPARE(found.bytes, 77);
    QCOMPARE(found.reason, "manual");
    // What is listed is left as it is, where it is this one and not another of its name.
    storage::Checkpoint told = found;
    told.seconds = 1.5;
    const auto adopted = [&](const std::function<void(storage::Checkpoint&)>& change) {
      storage::Checkpoint listed = told;
      change(listed);
      catalogue().put_checkpoint(id(), listed);
      recorder().adopt_checkpoints();
      recorder().flush();
      return catalogue().checkpoints(id()).at(0).seconds == 0;
    };
    QVERIFY(!adopted([](auto&) {}));
    QVERIFY(adopted([](auto& listed) { listed.step = 41; }));
    QVERIFY(adopted([](auto& listed) { listed.epoch = 3; }));
    QVERIFY(adopted([](auto& listed) { listed.reason = "exit"; }));
    QVERIFY(adopted([](auto& listed) { listed.bytes = 78; }));
    QVERIFY(adopted([](auto& listed) { listed.generation = 1; }));
  }

  // That is for the launch to see, which may be able to say more.
  void whereAllCheckpointsAreGoneTheyStayListed() {
    storage::Checkpoint gone;
    gone.name = "checkpoint-000003";
    catalogue().put_checkpoint(id(), gone);
    recorder().take(trained(0, 10));
    recorder().flush();
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QCOMPARE(catalogue().checkpoints(id()).size(), 1u);
    QCOMPARE(catalogue().ledger(id()).size(), 1u);
    write(paths(), 4, {{0, trained(0, 5)}});
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QCOMPARE(catalogue().checkpoints(id()).size(), 1u);
    QCOMPARE(catalogue().checkpoints(id()).at(0).name, "checkpoint-000004");
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{0, trained(0, 5)}}));
  }

  void aCheckpointThatCannotBeReadIsPassedOver() {
    write(paths(), 1, {{0, trained(0, 5)}});
    write(paths(), 2, {{0, trained(0, 10)}});
    write(paths(), 3, {{0, trained(0, 15)}});
    std::ofstream(paths().checkpoints / "checkpoint-000003" / "manifest.json") << "{";
    recorder().take(trained(0, 20));
    recorder().flush();
    reconcile(catalogue(), *catalogue().run(id()), paths());
    QVERIFY((catalogue().ledger(id()) == protocol::Ledger{{0, trained(0, 10)}}));
    QCOMPARE(catalogue().checkpoints(id()).size(), 2u);
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

  // Anything but a full disk or a lock would fail for ever, and hold up what comes after.
  void whatTheCatalogueWillNeverTakeIsLeftOut() {
    QStringList alerts;
    recorder().on_trouble = [&](const std::string& text) { alerts << QString::fromStdString(text); };
    recorder().flush();
    QVERIFY(storage::test::meddle(protocol::catalogue_path(), "DROP TABLE hyperparameter"));
    recorder().event(1, "info", "before");
    for (int i = 0; i < 2; ++i) recorder().take(protocol::Hyperparameters{{{"lr", "0.1"}}});
    recorder().flush();
    QVERIFY(recorder().flushed());
    QCOMPARE(catalogue().events(id()).size(), 1u);  // nothing has been written since
    recorder().event(2, "info", "after");
    recorder().flush();
    recorder().flush();
    QCOMPARE(alerts.size(), 1);
    const auto events = catalogue().events(id());
    QCOMPARE(events.size(), 3u);
    QCOMPARE(events[1].text, "after");
    QCOMPARE(events[2].level, "warning");
    VERIFY_HOLDS(events[2].text, "the run's events and states could not be written for ",
                 "2 of them are missing");
  }

  // How a run ended is worth waiting for, but not for ever.
  void aDiskThatRefusesIsAskedAgain() {
    recorder().flush(3, [] { QFAIL("nothing waits"); });
    std::optional<storage::test::FullDisk> full(1);
    recorder().state(protocol::RunState::paused, "a person's wish");
    int waits = 0;
    for (const int attempts : {0, 1, 3}) {
      recorder().flush(attempts, [&] { ++waits; });
      QCOMPARE(std::exchange(waits, 0), attempts);
      QVERIFY(!recorder().flushed());
    }
    recorder().flush(50, [&] {
      if (++waits == 2) full.reset();
    });
    QVERIFY(recorder().flushed());
    QVERIFY(waits >= 2 && waits < 50);
    QCOMPARE(catalogue().run(id())->message, "a person's wish");
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
