// SPDX-License-Identifier: Apache-2.0
//
// Where a restart begins, and what that repeats; scripted events, and the disk that checkpoints go to.
#include <QTemporaryDir>
#include <fstream>
#include <memory>

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/samples.h"
#include "supervision/disk_watch.h"
#include "supervision/run_checkpoints.h"
#include "supervision/scripted_events.h"
#include "system/disk.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

class TestRunCheckpoints : public QObject {
  Q_OBJECT

  using Place = ScriptedEvents::Place;
  using Trigger = protocol::Trigger;

  std::unique_ptr<QTemporaryDir> folder_;
  protocol::RunPaths paths_;

  void write(int number, std::int64_t step) const {
    protocol::Manifest manifest;
    manifest.step = step;
    manifest.files = {{"model", 0, 0}};
    const fs::path directory = paths_.checkpoints / protocol::checkpoint_name(number);
    fs::create_directory(directory);
    protocol::write_manifest(directory, manifest);
  }
  // A run that has come to a step, and has trained on so many samples where that is known.
  static RunBoard board(std::int64_t step, double samples = 0) {
    std::map<std::string, double> latest;
    if (samples > 0) latest[protocol::series::kSamples] = samples;
    return {step, 0, 0, 0, latest};
  }
  std::string point(const RunBoard& board, int generation = 0, bool makes_checkpoints = true) const {
    return RunCheckpoints(paths_).restart_point(board, generation, makes_checkpoints);
  }
  static protocol::Failure failure(const std::string& checkpoint, const std::string& text,
                                   const std::string& kind = "checkpoint") {
    protocol::Failure failed;
    failed.kind = kind;
    failed.text = text;
    failed.checkpoint = checkpoint;
    return failed;
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    const fs::path root = folder_->path().toStdString();
    paths_ = {};
    paths_.root = root;
    paths_.checkpoints = root / "checkpoints";
    paths_.share = root / "share";
    paths_.samples = root / "samples.db";
    fs::create_directories(paths_.checkpoints);
    fs::create_directories(paths_.share);
  }

  // --- where a restart begins ---

  void withoutACheckpointItIsTheBeginning() {
    QCOMPARE(point(board(0)), "the beginning, as there is no checkpoint yet");
    QCOMPARE(point(board(23)), "the beginning, as there is no checkpoint yet, so that 23 steps are repeated");
    QCOMPARE(point(board(23, 736)),
             "the beginning, as there is no checkpoint yet, so that 23 steps with 736 samples are repeated");
    QCOMPARE(point(board(1)), "the beginning, as there is no checkpoint yet, so that 1 step is repeated");
    QCOMPARE(point(board(23), 0, false),
             "wherever the program begins by itself, as it has no checkpoint here");
    QCOMPARE(point(board(0), 0, false), "the beginning, as there is no checkpoint yet");
  }

  void itIsTheNewestCheckpoint() {
    write(2, 90);
    write(3, 100);
    QCOMPARE(point(board(100)), "checkpoint-000003 (step 100)");
    QCOMPARE(point(board(99)), "checkpoint-000003 (step 100)");
    QCOMPARE(point(board(123)), "checkpoint-000003 (step 100), so that 23 steps are repeated");
    QCOMPARE(point(board(101)), "checkpoint-000003 (step 100), so that 1 step is repeated");
    std::ofstream(paths_.checkpoints / "checkpoint-000003" / "manifest.json") << "{";
    QCOMPARE(point(board(90)), "checkpoint-000002 (step 90)");
    std::ofstream(paths_.checkpoints / "checkpoint-000002" / "manifest.json") << "{";
    QCOMPARE(point(board(90)), "its checkpoints, though none of them is good");
  }

  // The generation is that which made the step, and may be an earlier one.
  void samplesAreCountedFromTheCheckpoint() {
    write(3, 100);
    {
      storage::SampleWriter writer(paths_.samples);
      writer.append(0, protocol::series::kSamples, 100, 3000.0);
      writer.append(1, protocol::series::kSamples, 100, 3200.0);
      writer.append(2, protocol::series::kSamples, 101, 4.0);
      writer.commit();
    }
    QCOMPARE(point(board(123, 3936), 2),
             "checkpoint-000003 (step 100), so that 23 steps with 736 samples are repeated");
    QCOMPARE(point(board(123, 3936), 0),
             "checkpoint-000003 (step 100), so that 23 steps with 936 samples are repeated");
    QCOMPARE(point(board(123, 3200), 2), "checkpoint-000003 (step 100), so that 23 steps are repeated");
  }

  void aProgramsOwnSnapshotIsNamed() {
    const fs::path own = paths_.root / "own.pt";
    std::ofstream(own) << "weights";
    std::ofstream(paths_.share / "batchscope-snapshot.json")
        << protocol::Json{{"path", own.string()}, {"step", 20}};
    QCOMPARE(point(board(23), 0, false),
             "the program's own snapshot " + own.string() +
                 " (step 20), if the program loads it, so that 3 steps are repeated");
  }

  void whatCannotBeLoadedIsPassedOver() {
    write(2, 90);
    write(3, 100);
    RunCheckpoints checkpoints(paths_);
    QVERIFY(!checkpoints.pass_over(failure("checkpoint-000003", "it is odd", "exception")));
    QVERIFY(!checkpoints.pass_over(failure("", "it is odd")));
    QVERIFY(
        !checkpoints.pass_over(failure("checkpoint-000003", "std::bad_alloc")));  // memory may be there later
    QCOMPARE(checkpoints.restart_point(board(0), 0, true), "checkpoint-000003 (step 100)");
    QVERIFY(checkpoints.pass_over(failure("checkpoint-000003", std::string(400, 'x'))));
    QVERIFY(!checkpoints.pass_over(failure("checkpoint-000003", "it is odd")));  // known already
    QCOMPARE(checkpoints.unloadable().at("checkpoint-000003"),
             "it cannot be loaded: " + std::string(300, 'x'));
    QCOMPARE(checkpoints.restart_point(board(0), 0, true), "checkpoint-000002 (step 90)");
    checkpoints.written("checkpoint-000003");  // another of that name
    QCOMPARE(checkpoints.restart_point(board(0), 0, true), "checkpoint-000003 (step 100)");
  }

  void checkpointsThatAreGoneAreNoFreshStart() {
    storage::Catalogue catalogue(folder_->filePath("runs.db").toStdString());
    const std::string run = catalogue.create_run({});
    const RunCheckpoints checkpoints(paths_);
    checkpoints.require_any(catalogue, run);  // it has made none
    storage::Checkpoint known;
    known.name = "checkpoint-000003";
    catalogue.put_checkpoint(run, known);
    VERIFY_THROWS("not_found", "checkpoint-000003 and all other checkpoints of the run are gone from",
                  checkpoints.require_any(catalogue, run));
    write(4, 100);
    checkpoints.require_any(catalogue, run);
  }

  // --- scripted events ---

  void eachEventIsDueInItsOwnMeasure() {
    const auto has = [](const char* trigger, const Place& place) {
      return place.has(Trigger::parse(trigger));
    };
    QVERIFY(has("elapsed=10s:stop", {.elapsed = 10}) && !has("elapsed=10s:stop", {.elapsed = 9.9}));
    QVERIFY(has("step=5:stop", {.step = 5}) && !has("step=5:stop", {.step = 4}));
    QVERIFY(has("epoch=2:stop", {.epoch = 2}) && !has("epoch=2:stop", {.epoch = 1}));
    QVERIFY(has("progress=7.5:stop", {.progress = 7.5}) && !has("progress=7.5:stop", {.progress = 7.4}));
    // The replicas notice all but the time by themselves.
    const Place far{.elapsed = 1e6, .step = 1000, .epoch = 1000, .progress = 1e6, .on_engine = true};
    QVERIFY(has("elapsed=10s:stop", far));
    for (const char* theirs : {"step=5:stop", "epoch=2:stop", "progress=7.5:stop"})
      QVERIFY(!has(theirs, far));
  }

  void eachEventIsTakenOnceAndThoseOfBeforeNever() {
    ScriptedEvents events({Trigger::parse("step=5:checkpoint"), Trigger::parse("step=7:pause"),
                           Trigger::parse("elapsed=10s:stop"), Trigger::parse("step=9:stop")});
    events.skip({.step = 5});
    QVERIFY(!events.take_due({.step = 6}));
    QCOMPARE(events.waiting_for_steps().size(), 2u);
    QCOMPARE(events.take_due({.elapsed = 20, .step = 9})->text(), Trigger::parse("step=7:pause").text());
    QCOMPARE(events.take_due({.elapsed = 20, .step = 9})->text(), Trigger::parse("elapsed=10s:stop").text());
    QCOMPARE(events.take_due({.elapsed = 20, .step = 9})->text(), Trigger::parse("step=9:stop").text());
    QVERIFY(!events.take_due({.elapsed = 20, .step = 9}));
  }

  // --- the disk ---

  void aDiskThatIsTooSmallIsToldOnceUntilThereIsRoomAgain() {
    QStringList told;
    DiskWatch disk(paths_.checkpoints, [&](const std::string& level, const std::string& text) {
      QCOMPARE(level, "warning");
      told << QString::fromStdString(text);
    });
    disk.check();
    QVERIFY(told.isEmpty());
    QCOMPARE(disk.full(), "");
    disk.checkpoint_takes(std::int64_t{1} << 50);  // more than any disk has
    for (int i = 0; i < 3; ++i) disk.check();
    QCOMPARE(told.size(), 1);
    VERIFY_HOLDS(told[0], "no room for another checkpoint", "batchscope gc --checkpoints");
    QVERIFY(!told[0].contains("made by hand"));
    disk.checkpoint_takes(1);
    disk.check();
    disk.checkpoint_takes(std::int64_t{1} << 50);
    disk.check();
    QCOMPARE(told.size(), 2);
  }

  // As people know it: by where it begins.
  void aDiskIsNamedByWhereItBegins() {
    QCOMPARE(disk_of("/proc/self")->mount, fs::path("/proc"));
    QCOMPARE(disk_of("/proc")->mount, fs::path("/proc"));
    QCOMPARE(disk_of("/")->mount, fs::path("/"));
    const auto disk = disk_of(paths_.root);
    QVERIFY(paths_.root.string().starts_with(disk->mount.string()));
    QCOMPARE(disk_of(disk->mount)->mount, disk->mount);
    QVERIFY(disk->free > 0 && disk->free <= disk->size);
    QVERIFY(!disk_of("/no/such/folder"));
  }

  // Room for one is enough, but only room for two ends what was told.
  void roomAgainIsRoomForTwo() {
    int told = 0;
    DiskWatch disk(paths_.checkpoints, [&](const auto&, const auto&) { ++told; });
    const auto told_with = [&](double part_of_free) {
      disk.checkpoint_takes(static_cast<std::int64_t>(part_of_free * disk_of(paths_.checkpoints)->free));
      disk.check();
      return std::exchange(told, 0);
    };
    QCOMPARE(told_with(0.75), 0);
    QCOMPARE(told_with(1.5), 1);
    QCOMPARE(told_with(0.75), 0);
    QCOMPARE(told_with(1.5), 0);
    QCOMPARE(told_with(0.4), 0);
    QCOMPARE(told_with(1.5), 1);
  }

  // Whatever a checkpoint takes. This one has room for nothing, as it is none.
  void aDiskWithoutRoomIsFull() {
    int told = 0;
    DiskWatch disk("/proc", [&](const auto&, const auto&) { ++told; });
    VERIFY_HOLDS(disk.full(), "the disk at /proc has 0.0 MB of 0.0 MB left; batchscope gc --checkpoints");
    disk.check();
    QCOMPARE(told, 1);
    DiskWatch nowhere("/no/such/folder", [&](const auto&, const auto&) { ++told; });
    nowhere.checkpoint_takes(std::int64_t{1} << 50);
    nowhere.check();
    QCOMPARE(nowhere.full(), "");
    QCOMPARE(told, 1);
  }

  void checkpointsThatAreKeptAreNamedWhereTheDiskIsFull() {
    for (int number = 0; number < 3; ++number) {
      protocol::Manifest manifest;
      manifest.pinned = number != 1;
      manifest.files = {{"model", 30'000'000, 0}, {"optimizer", 20'000'000, 0}};
      const fs::path directory = paths_.checkpoints / protocol::checkpoint_name(number);
      fs::create_directory(directory);
      protocol::write_manifest(directory, manifest);
    }
    const fs::path elsewhere = paths_.root / "elsewhere";  // what is there takes none of this disk
    fs::copy(paths_.checkpoints / "checkpoint-000000", elsewhere);
    fs::create_directory_symlink(elsewhere, paths_.checkpoints / "checkpoint-000003");
    DiskWatch disk(paths_.checkpoints, [](const auto&, const auto&) {});
    disk.checkpoint_takes(std::int64_t{1} << 50);
    VERIFY_HOLDS(disk.full(), "2 checkpoints made by hand, which are kept, take 100 MB of it in");
    fs::remove_all(paths_.checkpoints / "checkpoint-000000");
    VERIFY_HOLDS(disk.full(), "1 checkpoint made by hand, which is kept, takes 50 MB of it in");
  }
};

BATCHSCOPE_TEST(TestRunCheckpoints)
#include "test_run_checkpoints.moc"
