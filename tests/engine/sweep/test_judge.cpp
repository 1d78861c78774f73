// SPDX-License-Identifier: Apache-2.0
//
// The runs of a trial, and what they say of a leg: the value that they had at its rung, and why there is
// none.
#include <cmath>

#include "batchscope/protocol/paths.h"
#include "rows.h"
#include "store_test.h"
#include "test_case.h"
#include "trials/runs.h"

using namespace batchscope;
using namespace batchscope::sweep;
using namespace batchscope::storage::test;
using protocol::RunState;
using Came = storage::SweepLeg::Outcome;
using Latest = std::map<std::string, double>;

class TestJudge : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    catalogue_.emplace(folder_ / "runs.db");
    file_ = {};
    file_.metric = "loss";
    file_.stop = {StopRule::Kind::asha, 100, 900, 3};
    leg_ = {};
    leg_.began = storage::now() - 3600;
  }
  void cleanupTestCase() { qunsetenv("BATCHSCOPE_DB"); }

  // A run is at its rung where its newest checkpoint is.
  void aLegEndsAtTheCheckpointOfItsRung_data() {
    const auto row = testing::columns<RunState, double, bool>({"state", "reached", "ended"});
    row("paused there", RunState::paused, 100, true);
    row("paused before", RunState::paused, 99.5, false);
    row("interrupted there", RunState::interrupted, 100, true);
    row("interrupted before", RunState::interrupted, 99.5, false);
    row("stopped there", RunState::stopped, 100, true);
    row("trains", RunState::running, 100, false);
    row("waits", RunState::pending, 100, false);
  }
  void aLegEndsAtTheCheckpointOfItsRung() {
    QFETCH(const RunState, state);
    QFETCH(const double, reached);
    QFETCH(const bool, ended);
    const std::string run = trained(state, {{"loss", 0.5}, {"progress", reached}});
    checkpoint(run, reached);
    const Judgement judgement = judge({run});
    QVERIFY((judgement.leg.outcome == Came::value) == ended);
    QVERIFY((judgement.leg.outcome == Came::under_way) == !ended);
    if (ended) QCOMPARE(judgement.leg.value, 0.5);
    QVERIFY(!judgement.leg.at_end && !judgement.no_metric && judgement.early.empty());
    QCOMPARE(have_reached(*catalogue_, file_.stop, 0, {run}), reached >= 100);
  }

  void withoutACheckpointNothingIsReached() {
    const std::string run = trained(RunState::paused, {{"loss", 0.5}, {"progress", 100}});
    QVERIFY(judge({run}).leg.outcome == Came::under_way);
    QVERIFY(!have_reached(*catalogue_, file_.stop, 0, {run}));
  }

  void withoutRungsOnlyTheEndCounts() {
    file_.stop = {};
    const std::string run = rests_at(1e9, {{"loss", 0.5}, {"progress", 1e9}});
    QVERIFY(judge({run}).leg.outcome == Came::under_way);
    QVERIFY(!have_reached(*catalogue_, file_.stop, 0, {run}));
  }

  void theUnitMayBeSteps() {
    file_.stop.unit = StopRule::Unit::steps;
    const std::string run = trained(RunState::paused, {{"loss", 0.5}, {"progress", 500}}, 100);
    checkpoint(run, 500, 99);
    QVERIFY(judge({run}).leg.outcome == Came::under_way);
    checkpoint(run, 500, 100);
    QVERIFY(judge({run}).leg.outcome == Came::value);
  }

  void theMeanOfItsSeedsCounts() {
    const std::string one = rests_at(100, {{"loss", 1}, {"progress", 100}}),
                      other = rests_at(100, {{"loss", 4}, {"progress", 100}});
    QCOMPARE(judge({one, other}).leg.value, 2.5);
    const std::string trains = trained(RunState::running, {{"loss", 4}});
    QVERIFY(judge({one, other, trains}).leg.outcome == Came::under_way);
    QVERIFY(!have_reached(*catalogue_, file_.stop, 0, {one, trains}));
    const std::string lost = rests_at(100, {{"loss", NAN}, {"progress", 100}});
    QVERIFY(judge({one, lost}).leg.outcome == Came::diverged);
  }

  void whoFailsSaysWhy() {
    const std::string failed = trained(RunState::failed, {{"loss", 1}}, 0, "out of memory"),
                      steady = trained(RunState::failed, {{"non_finite_steps", 0}}, 0, "no disk"),
                      wild = trained(RunState::failed, {{"non_finite_steps", 1}}, 0, "not finite"),
                      stopped = trained(RunState::stopped, {{"loss", 1}}),
                      cancelled = trained(RunState::stopped, {{"loss", 1}}, 0, "job 7 was cancelled"),
                      lost = trained(RunState::damaged, {{"loss", 1}}, 0, "its row cannot be read"),
                      removed = rests_at(100, {{"loss", 1}, {"progress", 100}});
    catalogue_->move_to_trash(removed);
    for (const auto& [run, why] : {std::pair{failed, "out of memory"},
                                   {steady, "no disk"},
                                   {stopped, "its run was stopped"},
                                   {cancelled, "job 7 was cancelled"},
                                   {lost, "its row cannot be read"},
                                   {removed, "its run was removed"},
                                   {std::string("nothere0"), "its run was removed"}}) {
      const Judgement judgement = judge({run});
      QVERIFY2(judgement.leg.outcome == Came::failed, why);
      QCOMPARE(judgement.leg.message, why);
    }
    QVERIFY(judge({wild}).leg.outcome == Came::diverged);
  }

  // A trial that comes to its end before the rung has nothing more to train; behind it, it went past it.
  void anEndMayComeBeforeTheRung() {
    for (const double progress : {99.0, 100.0}) {
      const std::string run = trained(RunState::finished, {{"loss", 0.5}, {"progress", progress}});
      record(run, 0, 1, 99);
      const Judgement judgement = judge({run});
      QVERIFY(judgement.leg.outcome == Came::value);
      QCOMPARE(judgement.leg.at_end, progress < 100);
    }
    file_.stop = {};
    QVERIFY(judge({trained(RunState::finished, {{"loss", 0.5}, {"progress", 1e9}})}).leg.at_end);
  }

  // One that was killed between its checkpoint and its pause trains on: what counts is its value at the rung,
  // as of all others. 100 iterations are at step 10, and the loss at step s is 1000 + s.
  void whoHasGoneOnCountsByItsRung_data() {
    const auto row = testing::columns<double, int, double>({"progress", "rung", "value"});
    row("not as far as the next rung", 299, 0, 1);
    row("at the next rung", 300, 0, 1010);
    row("at the next rung but one", 900, 1, 1030);
    row("the last one is nobody's", 5000, 2, 1);
  }
  void whoHasGoneOnCountsByItsRung() {
    QFETCH(const double, progress);
    QFETCH(const int, rung);
    leg_.rung = rung;
    const std::string run = rests_at(progress, {{"loss", 1}, {"progress", progress}});
    record(run, 0, 1, 100);
    const Judgement judgement = judge({run});
    QVERIFY(judgement.leg.outcome == Came::value);
    QTEST(judgement.leg.value, "value");
  }

  // A restart from an older checkpoint had the step of the rung once more: the newer value is its run's.
  void ofTwoGenerationsTheNewerOneCounts() {
    const std::string run = rests_at(300, {{"loss", 1}, {"progress", 300}});
    record(run, 0, 1, 20);
    record(run, 1, 5, 30, 2000);
    QCOMPARE(judge({run}).leg.value, 2010.0);
    record(run, 2, 25, 30, 3000);  // which did not have that step
    QCOMPARE(judge({run}).leg.value, 2010.0);
  }

  void aRungOfStepsIsAtItsStep() {
    file_.stop = {StopRule::Kind::median, 10.5, {}, 2, StopRule::Unit::steps};
    const std::string run = trained(RunState::paused, {{"loss", 1}}, 21);
    checkpoint(run, 0, 21);
    record(run, 0, 1, 21);
    QCOMPARE(judge({run}).leg.value, 1011.0);
  }

  void aSeriesThatNobodyHasRecordedIsTold() {
    const std::string none = rests_at(100, {}),
                      near = rests_at(100, {{"accuracy", 1}, {"lost", 2}, {"x", 3}}),
                      ended = trained(RunState::finished, {});
    Latest many;
    for (int series = 0; series < 9; ++series) many["s" + std::to_string(series)] = 0;
    Latest few = many;
    few.erase("s8");
    const auto told = [&](const std::string& run) {
      const Judgement judgement = judge({run});
      return judgement.no_metric && judgement.leg.outcome == Came::failed ? judgement.leg.message : "";
    };
    QCOMPARE(told(none),
             "run " + none + " came to its rung without a value of 'loss': it has recorded nothing");
    VERIFY_HOLDS(told(near), "it has recorded lost, accuracy, x");
    VERIFY_HOLDS(told(ended), "came to its end without a value");
    VERIFY_HOLDS(told(rests_at(100, many)), "s6, s7 and others");
    QVERIFY(told(rests_at(100, few)).ends_with("s6, s7"));
  }

  // Many programs measure themselves at the ends of epochs.
  void withinItsFirstEpochARunMayGoOn() {
    const std::string queued = catalogue_->submit_run(named("a"), {});
    catalogue_->claim_supervisor(queued);
    catalogue_->set_state(queued, RunState::paused);
    checkpoint(queued, 100);
    const Judgement rests = judge({queued});
    QVERIFY(rests.leg.outcome == Came::under_way);
    QCOMPARE(rests.early, std::vector{queued});
    catalogue_->go_on(queued);  // told already
    QVERIFY(judge({queued}).early.empty());
    const std::string there = rests_at(100, {}, 0, RunState::stopped);
    QCOMPARE(judge({there}, true).early, std::vector{there});
    QVERIFY(judge({there}).no_metric);  // in the pool somebody else has stopped it
    leg_.rung = 2;
    checkpoint(there, 900);
    QVERIFY(judge({there}, true).no_metric);  // the last rung: nothing comes behind it
  }

  // The time counts from the leg's beginning on, until a device was given back or now; in an hour of two
  // devices.
  void devicesAreCountedWhileTheLegHadThem() {
    const std::string run = rests_at(100, {{"loss", 1}, {"progress", 100}}),
                      other = catalogue_->create_run(named("other"));
    const auto lease = [&](const std::string& id, const Names& devices) {
      catalogue_->lease_devices(id, always(devices));
    };
    lease(run, {"cpu:0", "cpu:1", "cpu:2"});
    lease(other, {"cpu:3"});
    const auto set = [&](const char* device, double since, double until) {
      const double now = storage::now();
      return meddle(folder_ / "runs.db", "UPDATE lease_event SET since = " + std::to_string(now + since) +
                                             ", until = " + std::to_string(until == 0 ? 0 : now + until) +
                                             " WHERE device = '" + device + "'");
    };
    QVERIFY(set("cpu:0", -7200, 0));      // the whole hour
    QVERIFY(set("cpu:1", -1800, -900));   // a quarter
    QVERIFY(set("cpu:2", -7200, -5400));  // before
    QCOMPARE(judge({rests_at(100, {{"loss", 1}, {"progress", 100}})}).leg.device_hours, 0.0);
    const double hours = judge({run}).leg.device_hours;
    QVERIFY2(std::abs(hours - 1.25) < 0.01, std::to_string(hours).c_str());
  }

  // All that have not ended, whatever comes of one of them; a fault is told when all were.
  void theLivingAreTold() {
    storage::Sweeps sweeps(*catalogue_);
    storage::Sweep sweep;
    sweep.name = "lr";
    sweep.file = "-";
    sweep.width = 1;
    sweeps.create(sweep);
    Names living;
    std::size_t trial = 0;
    const auto add = [&](const std::optional<RunState>& state) {
      storage::SweepLeg leg;
      leg.trial = trial;
      sweeps.begin_leg("lr", trial, leg);
      const std::string run = sweeps.submit("lr", {trial, 0, trial, ""}, named("a"));
      if (state && protocol::is_active(*state)) catalogue_->claim_supervisor(run);
      if (state) catalogue_->set_state(run, *state);
      ++trial;
      return run;
    };
    for (const RunState state :
         {RunState::starting, RunState::running, RunState::restarting, RunState::pausing, RunState::paused,
          RunState::stopping, RunState::interrupted})
      living.push_back(add(state));
    living.push_back(add({}));  // pending
    for (const RunState state : {RunState::finished, RunState::failed, RunState::stopped, RunState::damaged})
      add(state);
    catalogue_->move_to_trash(add(RunState::interrupted));
    for (const ErrorKind kind :
         {ErrorKind::conflict, ErrorKind::not_found, ErrorKind::io, ErrorKind::timeout}) {
      Names told;
      const auto act = [&](const std::string& run) {
        told.push_back(run);
        if (told.size() == 2) throw Error(kind, "the second one");
      };
      const std::string fault = testing::thrown_by([&] { for_living_runs(*catalogue_, "lr", act); });
      QCOMPARE(told, living);
      const bool is_told = kind == ErrorKind::io || kind == ErrorKind::timeout;
      QCOMPARE(testing::holds(fault, "the second one"), is_told);
    }
  }

 private:
  Judgement judge(const std::vector<std::string>& runs, bool elsewhere = false) {
    return sweep::judge(*catalogue_, file_, leg_, runs, elsewhere);
  }

  std::string trained(RunState state, const Latest& latest, std::int64_t step = 0,
                      const std::string& message = {}, int epoch = 1) {
    const std::string id = catalogue_->create_run(named("a"));
    catalogue_->set_progress(id, step, epoch, 0, 0, latest);
    if (protocol::is_active(state)) catalogue_->claim_supervisor(id);
    catalogue_->set_state(id, state, message);
    return id;
  }

  void checkpoint(const std::string& run, double progress, std::int64_t step = 0) {
    storage::Checkpoint checkpoint;
    checkpoint.name = "checkpoint-" + std::to_string(++checkpoints_);
    checkpoint.progress = progress;
    checkpoint.step = step;
    checkpoint.time = storage::now() + checkpoints_;
    catalogue_->put_checkpoint(run, checkpoint);
  }

  std::string rests_at(double progress, const Latest& latest, int epoch = 1,
                       RunState state = RunState::interrupted) {
    const std::string id = trained(state, latest, 0, {}, epoch);
    checkpoint(id, progress);
    return id;
  }

  // Steps of ten iterations each.
  static void record(const std::string& run, int generation, int first, int last, double loss = 1000) {
    const protocol::RunPaths paths = protocol::run_paths(run);
    std::filesystem::create_directories(paths.root);
    storage::SampleWriter writer(paths.samples);
    for (int step = first; step <= last; ++step) {
      writer.append(generation, "progress", step, 10.0 * step);
      writer.append(generation, "loss", step, loss + step);
    }
    writer.commit();
  }

  Folder folder_;
  std::optional<storage::Catalogue> catalogue_;
  SweepFile file_;
  storage::SweepLeg leg_;
  int checkpoints_ = 0;
};

BATCHSCOPE_TEST(TestJudge)
#include "test_judge.moc"
