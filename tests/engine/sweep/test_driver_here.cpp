// SPDX-License-Identifier: Apache-2.0
//
// The driver, in a thread of its own, with trials in the pool: supervisors without replicas come to rungs,
// and are asked to go on, to stop, or to be another trial's origin.
#include <QThread>
#include <cmath>
#include <filesystem>
#include <map>

#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/sweep/driver.h"
#include "batchscope/sweep/sweeps.h"
#include "patience.h"
#include "spaces.h"
#include "store_test.h"
#include "stored_runs.h"
#include "supervised.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::sweep;
using namespace batchscope::storage::test;
using batchscope::testing::real;
using batchscope::testing::Supervised;
using pool::kPatience;
using protocol::RunState;
using storage::SweepState;

namespace {

constexpr double kFirstRung = 100;

// Where nothing of this test trains.
class Nowhere : public Workplace {
 public:
  storage::Origin prepare(const storage::Sweep&, const std::string&, const protocol::RunSpec&) override {
    qFatal("a run elsewhere");
  }
  std::set<std::string> tend(const storage::Sweep&, const Names&) override { return {}; }
  std::set<std::string> recall(const storage::Sweep&, const Names&) override { qFatal("runs elsewhere"); }
};

}  // namespace

class TestDriverHere : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    qputenv("BATCHSCOPE_BIN", (folder_ / "").c_str());
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    qputenv("XDG_STATE_HOME", (folder_ / "state").c_str());
    write_file(folder_ / "batchscope-pool", "#!/bin/sh\n");
    std::filesystem::permissions(folder_ / "batchscope-pool", std::filesystem::perms::owner_all);
    catalogue_.emplace(folder_ / "runs.db");
    checkpoints_ = 0;
  }

  // The driver ends where its store is gone.
  void cleanup() {
    std::filesystem::remove(folder_ / "runs.db");
    QTRY_VERIFY_WITH_TIMEOUT(driver_->isFinished(), kPatience);
    driver_.reset();
    supervised_.clear();
    catalogue_.reset();
    for (const char* name : {"BATCHSCOPE_BIN", "BATCHSCOPE_DB", "XDG_STATE_HOME"}) qunsetenv(name);
  }

  // Fourteen trials come to a rung, one after the other: four go on and one has diverged. That one has no use
  // for its processes, and of the nine others the first gives way; they all do when the sweep is over.
  void ofThoseThatRestEightKeepTheirProcesses() {
    begin(StopRule{StopRule::Kind::asha, kFirstRung, 3 * kFirstRung, 3}, 14);
    for (std::size_t trial = 0; trial < 14; ++trial)
      rests_at(trial, kFirstRung, trial == 13 ? NAN : static_cast<double>(trial));
    QTRY_COMPARE_WITH_TIMEOUT(asked(4), Names{"stop"}, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(asked(13), Names{"stop"}, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(view().legs.size(), 18u, kPatience);
    for (std::size_t trial = 0; trial < 2; ++trial) {
      QVERIFY(!catalogue_->job(run_of(trial))->rests);  // told to go on
      rests_at(trial, 3 * kFirstRung, static_cast<double>(trial), RunState::stopped);
      QTRY_VERIFY_WITH_TIMEOUT(view().legs[14 + trial].outcome, kPatience);
    }
    for (std::size_t trial = 0; trial < 13; ++trial) QCOMPARE(asked(trial).size(), trial == 4 ? 1u : 0u);
    for (std::size_t trial = 2; trial < 4; ++trial)
      rests_at(trial, 3 * kFirstRung, static_cast<double>(trial), RunState::stopped);
    QTRY_COMPARE_WITH_TIMEOUT(view().sweep.state, SweepState::finished, kPatience);
    for (std::size_t trial = 0; trial < 14; ++trial) QCOMPARE(asked(trial).size(), trial < 4 ? 0u : 1u);
    QCOMPARE(view().best, std::optional<std::size_t>(0));
    QCOMPARE(view().sweep.message, "");
  }

  // One that rests and never goes on has no use for its processes, however few there are.
  void whoHasDivergedIsEnded() {
    begin(StopRule{StopRule::Kind::asha, kFirstRung, 3 * kFirstRung, 3}, 3);
    for (std::size_t trial = 0; trial < 3; ++trial)
      rests_at(trial, kFirstRung, trial == 2 ? NAN : static_cast<double>(trial));
    QTRY_COMPARE_WITH_TIMEOUT(asked(2), Names{"stop"}, kPatience);
    QVERIFY(asked(0).empty() && asked(1).empty());
    QCOMPARE(view().legs.size(), 4u);
    // The sweep is over when its runs are ended, so that another driver would end them, too.
    std::vector<SweepState> states;
    supervised_.at(run_of(1))->on_asked = [&] { states.push_back(view().sweep.state); };
    rests_at(0, 3 * kFirstRung, 0, RunState::stopped);
    QTRY_COMPARE_WITH_TIMEOUT(view().sweep.state, SweepState::finished, kPatience);
    QCOMPARE(states, std::vector{SweepState::running});
  }

  // The worst of four goes on from the best one's checkpoint, each of its seeds from the same seed's, in new
  // runs; its own come to their end.
  void theWorstGoesOnFromTheBest() {
    begin(StopRule{StopRule::Kind::pbt, kFirstRung, 2 * kFirstRung}, 4, 2);
    for (std::size_t trial = 0; trial < 4; ++trial)
      for (const int seed : {0, 1}) rests_at(trial, kFirstRung, static_cast<double>(trial), {}, seed);
    const Names former{run_of(3, 0), run_of(3, 1)};
    QTRY_COMPARE_WITH_TIMEOUT(view().legs.size(), 8u, kPatience);
    const SweepView at_rung = view();
    QCOMPARE(at_rung.legs[4].trial, 3u);
    QCOMPARE(at_rung.legs[4].origin, std::optional<std::size_t>(0));
    for (const int seed : {0, 1}) {
      const std::string of_seed = std::to_string(seed);
      QTRY_VERIFY_WITH_TIMEOUT(run_of(3, seed) != former[static_cast<std::size_t>(seed)], kPatience);
      const std::string id = run_of(3, seed);
      QTRY_VERIFY_WITH_TIMEOUT(!catalogue_->events(id).empty(), kPatience);
      QCOMPARE(catalogue_->events(id).back().text,
               "Forked from run " + run_of(0, seed) + " after step 10" + of_seed + ".");
      QCOMPARE(catalogue_->events(id).back().level, "info");
      QCOMPARE(catalogue_->run(id)->name, "lr-3." + of_seed + " from 0 at rung 0");
      QCOMPARE(protocol::list_checkpoints(protocol::run_paths(id).checkpoints).size(), 1u);
      QCOMPARE(supervised_.at(former[static_cast<std::size_t>(seed)])->asked, Names{"stop"});
      for (std::size_t trial = 0; trial < 3; ++trial) {
        QVERIFY(asked(trial, seed).empty());
        QTRY_VERIFY_WITH_TIMEOUT(!catalogue_->job(run_of(trial, seed))->rests, kPatience);
      }
    }
    for (std::size_t trial = 0; trial < 4; ++trial)
      for (const int seed : {0, 1})
        rests_at(trial, 2 * kFirstRung, 1 + static_cast<double>(trial), RunState::stopped, seed);
    QTRY_COMPARE_WITH_TIMEOUT(view().sweep.state, SweepState::finished, kPatience);
    QCOMPARE(view().legs.size(), 8u);
    for (const TrialView& trial : view().trials) QCOMPARE(trial.standing.state, Standing::State::finished);
  }

  // One that has no value within its first epoch goes on to the next rung, and has come there when it is sent
  // there: it rests.
  void whoIsAtItsRungAlreadyRests() {
    begin(StopRule{StopRule::Kind::asha, kFirstRung, 9 * kFirstRung, 3}, 4);
    rests_at(0, kFirstRung, std::nullopt);
    const std::string run = run_of(0);
    QTRY_VERIFY_WITH_TIMEOUT(!catalogue_->job(run)->rests, kPatience);
    rests_at(0, 3 * kFirstRung, 0.5);
    for (const std::size_t trial : {1u, 2u}) rests_at(trial, kFirstRung, 1);
    QTRY_VERIFY_WITH_TIMEOUT(view().legs.size() == 5 && view().legs[4].outcome, kPatience);
    const SweepView all = view();
    QCOMPARE(all.legs[4].trial, 0u);
    QCOMPARE(all.legs[4].rung, 1);
    QVERIFY(all.legs[4].outcome->value == 0.5);
    QVERIFY(catalogue_->job(run)->rests);
  }

  // Runs that train are told to end, one that waits is cancelled; none is taken for one that a person
  // stopped.
  void aSweepThatFailsEndsItsRuns() {
    begin(StopRule{}, 6);
    std::vector<SweepState> states;
    for (const std::size_t trial : {3u, 4u}) {
      comes_up(trial, {"cpu:" + std::to_string(trial)});
      supervised_.at(run_of(trial))->on_asked = [&] { states.push_back(view().sweep.state); };
    }
    for (const std::size_t trial : {0u, 1u, 2u})
      catalogue_->set_state(run_of(trial), RunState::failed, "out of memory");
    QTRY_COMPARE_WITH_TIMEOUT(asked(4), Names{"stop"}, kPatience);
    QCOMPARE(asked(3), Names{"stop"});
    QCOMPARE(states, (std::vector{SweepState::failed, SweepState::failed}));
    QTRY_COMPARE_WITH_TIMEOUT(catalogue_->run(run_of(5))->state, RunState::stopped, kPatience);
    const SweepView failed = view();
    QCOMPARE(failed.sweep.state, SweepState::failed);
    QCOMPARE(failed.sweep.message, "3 trials failed, and none has a value; the last failure: out of memory");
    for (std::size_t trial = 0; trial < 6; ++trial)
      QCOMPARE(failed.legs[trial].outcome.has_value(), trial < 3);
  }

  // A trial that is under way comes to its end, and nothing more begins.
  void whenItsHoursAreUsedUpItIsOver() {
    begin(StopRule{}, 5, 1, 2, 1e-9);
    comes_up(0, {"cpu:0"});
    rests_at(0, 0, 1, RunState::finished);
    QTRY_VERIFY_WITH_TIMEOUT(view().legs[0].outcome, kPatience);
    rests_at(1, 0, 2, RunState::finished);
    QTRY_COMPARE_WITH_TIMEOUT(view().sweep.state, SweepState::finished, kPatience);
    QCOMPARE(view().sweep.message, "its 1e-09 device-hours are used up");
    QCOMPARE(view().legs.size(), 2u);
  }

 private:
  // The driver begins with as many trials at once.
  void begin(const StopRule& stop, int trials, int seeds = 1, int width = 0,
             const std::optional<double>& device_hours = {}) {
    SweepFile file;
    file.name = "lr";
    file.program = "/bin/true";
    file.metric = "loss";
    file.trials = trials;
    file.seeds = seeds;
    file.device_hours = device_hours;
    file.method = Method::random;
    file.stop = stop;
    file.parameters = {real("lr", 0.001, 1, true)};
    storage::Sweep sweep;
    sweep.name = file.name;
    sweep.file = file.text();
    sweep.spec.program = file.program;
    sweep.width = width > 0 ? width : trials;
    storage::Sweeps(*catalogue_).create(sweep);
    driver_.reset(QThread::create([] {
      Nowhere nowhere;
      run_driver(nowhere, [] {
        QThread::msleep(5);
        return 10 * protocol::monotonic_seconds();  // its time passes ten times as fast as a person's
      });
    }));
    driver_->start();
    const auto runs = static_cast<std::size_t>(sweep.width * seeds);
    QTRY_COMPARE_WITH_TIMEOUT(storage::Sweeps(*catalogue_).runs("lr").size(), runs, kPatience);
  }

  SweepView view() { return look(*catalogue_, "lr"); }

  std::string run_of(std::size_t trial, int seed = 0) {
    for (const storage::TrialRun& run : storage::Sweeps(*catalogue_).runs("lr"))
      if (run.trial == trial && run.seed == seed) return run.run;
    return "";
  }
  Names asked(std::size_t trial, int seed = 0) { return supervised_.at(run_of(trial, seed))->asked; }

  void comes_up(std::size_t trial, const Names& devices, int seed = 0) {
    const std::string id = run_of(trial, seed);
    if (!supervised_.contains(id))
      supervised_.emplace(id, std::make_unique<Supervised>(*catalogue_, id, devices));
    catalogue_->set_state(id, RunState::running);
  }

  // Comes so far with a checkpoint, after an epoch where it has a value.
  void rests_at(std::size_t trial, double iterations, std::optional<double> loss,
                std::optional<RunState> state = {}, int seed = 0) {
    comes_up(trial, {}, seed);
    const std::string id = run_of(trial, seed);
    const std::int64_t step = static_cast<std::int64_t>(iterations) + seed;
    std::map<std::string, double> latest{{"progress", std::min(iterations, 2 * kFirstRung)}};
    if (loss) latest["loss"] = *loss;
    catalogue_->set_progress(id, step, loss ? 1 : 0, 0, 0, latest);
    const auto folder = run::StoredRuns::write_checkpoint(id, ++checkpoints_, step);
    storage::Checkpoint checkpoint;
    checkpoint.name = folder.filename();
    checkpoint.step = step;
    checkpoint.progress = iterations;
    checkpoint.time = storage::now() + checkpoints_;
    catalogue_->put_checkpoint(id, checkpoint);
    catalogue_->set_state(id, state.value_or(RunState::paused));
  }

  Folder folder_;
  std::optional<storage::Catalogue> catalogue_;
  std::unique_ptr<QThread> driver_;
  std::map<std::string, std::unique_ptr<Supervised>> supervised_;
  int checkpoints_ = 0;
};

BATCHSCOPE_TEST(TestDriverHere)
#include "test_driver_here.moc"
