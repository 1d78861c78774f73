// SPDX-License-Identifier: Apache-2.0
//
// The recorder's handling of messages that the store will not have as they are.
#include "record/recorder.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "batchscope/storage/samples.h"
#include "recorded_run.h"
#include "storage/full_disk.h"
#include "storage/store_test.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

class TestRecorder : public RecordedTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() { begin(); }

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
      write_checkpoint(paths(), number, {{0, trained(0, 10)}});
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
};

BATCHSCOPE_TEST(TestRecorder)
#include "test_recorder.moc"
