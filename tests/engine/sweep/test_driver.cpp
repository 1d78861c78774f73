// SPDX-License-Identifier: Apache-2.0
//
// The driver, and a place elsewhere in which nothing trains: what it asks of that place, and what it makes of
// what the catalogue says then.
#include "batchscope/sweep/driver.h"

#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/sweep/sweeps.h"
#include "rows.h"
#include "spaces.h"
#include "standard_error.h"
#include "stored_runs.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::sweep;
using namespace batchscope::testing;
using protocol::RunState;
using storage::SweepState;
using Runs = std::vector<std::string>;

namespace {

constexpr double kMin = 100, kEta = 3;

// A run is begun at one look and has come a rung further at the next.
class Place : public Workplace {
 public:
  explicit Place(const double& now) : time(&now) {}

  storage::Origin prepare(const storage::Sweep& sweep, const std::string& run,
                          const protocol::RunSpec& spec) override {
    told = sweep.workplace;
    specs[run] = spec;
    return {.folder = "/there/" + run, .followed = true};
  }

  std::set<std::string> tend(const storage::Sweep& sweep, const Runs& runs) override {
    tended.push_back(*time);
    if (rests > 0) {
      --rests;
      return {runs.begin(), runs.end()};
    }
    std::set<std::string> unheard;
    if (faults > 0 || std::exchange(is_faulty, false)) {
      faults = std::max(faults - 1, 0);
      catalogue.add_event(runs.front(), 0, 0, "info", "tried");  // so that the driver looks again at once
      throw Error(fault, "the road is closed");
    }
    most = std::max(most, runs.size());
    for (const std::string& run : runs) {
      const RunState state = catalogue.run(run)->state;
      if (state == RunState::running) come_to_rung(run);
      if (state != RunState::pending) continue;
      catalogue.set_state(run, RunState::running);
      ++begun[run];
      unheard.insert(run);
    }
    is_faulty = begun.size() == fault_after && !std::exchange(was_faulty, true);
    if (stop_after > 0 && begun.size() == stop_after) {
      stop_after = 0;
      storage::Sweeps(catalogue).set_state(sweep.name, SweepState::stopped);
    }
    return unheard;
  }

  std::set<std::string> recall(const storage::Sweep& sweep, const Runs& runs) override {
    std::set<std::string> living;
    ++recalls;
    if (resumes > 0) {
      --resumes;
      storage::Sweeps(catalogue).resume(sweep.name);
    }
    for (const std::string& run : runs) {
      if (catalogue.run(run)->state != RunState::running) continue;
      living.insert(run);
      if (recalls <= ends_after) {
        catalogue.add_event(run, 0, 0, "info", "asked");  // so that the driver looks again at once
        continue;
      }
      catalogue.set_state(run, RunState::stopped);
    }
    if (removes_store && living.empty() &&
        storage::Sweeps(catalogue).find(sweep.name)->state != SweepState::running)
      std::filesystem::remove(protocol::catalogue_path());
    return living;
  }

  storage::Catalogue catalogue{protocol::catalogue_path()};
  const double* time;          // s
  std::vector<double> tended;  // when
  int rests = 0;               // so many times nothing is to be seen of its runs
  std::string told;            // of the place
  std::map<std::string, protocol::RunSpec> specs;
  std::map<std::string, int> begun;  // how often
  std::size_t most = 0, stop_after = 0;
  int recalls = 0, ends_after = 0;  // what trains ends at one that comes after so many
  int resumes = 0;                  // by a person, while they are called back
  int faults = 0;                   // so many, of this kind, before anything trains
  std::size_t fault_after = 0;      // one more, after so many have begun
  bool is_faulty = false, was_faulty = false, finishes = false, writes = false;
  bool removes_store = false;  // once nothing is to be done any more
  ErrorKind fault = ErrorKind::io;
  bool cancels_first = false, cancels_rest = false;
  double first_loss = -1;       // below 0: its parameter is its loss, as of all others
  std::string series = "loss";  // that runs record

 private:
  void come_to_rung(const std::string& run) {
    // A fork begins at the first rung.
    const int rung = begun[run] - (catalogue.run(run)->name.find(" from ") == std::string::npos ? 1 : 0);
    const double reached = kMin * std::pow(kEta, rung);
    const bool is_first = begun.size() == 1;
    if (is_first ? cancels_first : cancels_rest)
      return catalogue.set_state(run, RunState::stopped, "job 7 was cancelled");
    const double loss = is_first && !(first_loss < 0) ? first_loss : std::stod(specs[run].arguments.back());
    catalogue.set_progress(run, 1, 1, 0, 0, {{series, loss}});
    storage::Checkpoint checkpoint;
    checkpoint.name = std::to_string(rung);
    checkpoint.progress = reached;
    catalogue.put_checkpoint(run, checkpoint);
    if (writes) {
      protocol::make_run_directories(protocol::run_paths(run));
      run::StoredRuns::write_checkpoint(run, rung, 100 * (rung + 1));
    }
    catalogue.set_state(run, finishes ? RunState::finished : RunState::stopped);
  }
};

}  // namespace

class TestDriver : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_.emplace();
    qputenv("BATCHSCOPE_DB", folder_->filePath("runs.db").toUtf8());
    now_ = 100;
    place_.emplace(now_);
  }

  void trialsElsewhereStopAtRungsAndGoOn() {
    create(2);
    const StandardError said;
    const SweepView view = driven();
    QCOMPARE(said.text(), std::string());
    QCOMPARE(view.sweep.state, SweepState::finished);
    QCOMPARE(place_->told, std::string("{\"there\":1}"));
    QCOMPARE(view.trials.size(), 3u);
    QCOMPARE(view.legs.size(), 4u);  // the best of three goes on
    QVERIFY(place_->most <= 2);
    const TrialView& best = view.trials[view.best.value()];
    QCOMPARE(best.standing.rung, 1);
    QCOMPARE(place_->begun.at(best.runs[0]), 2);
    for (const auto& [run, spec] : place_->specs) {
      QCOMPARE(spec.triggers.size(), 2u);
      for (const protocol::Trigger& trigger : spec.triggers)
        QCOMPARE(trigger.action, protocol::Trigger::Action::stop);
    }
  }

  void aTrialWhoseJobIsCancelledFails() {
    place_->cancels_first = true;
    create(1);
    const SweepView view = driven();
    QCOMPARE(view.sweep.state, SweepState::finished);
    QCOMPARE(view.trials[0].standing.state, Standing::State::failed);
    QCOMPARE(view.trials[0].message, std::string("job 7 was cancelled"));
    QVERIFY(view.best);
  }

  // Nothing can come of it: it does not go on to the last of its trials. Who resumes it has as many more.
  void aSweepOfWhichAllFailsEnds() {
    place_->cancels_first = place_->cancels_rest = true;
    create(1, 10);
    for (const std::size_t failed : {3u, 6u}) {
      QCOMPARE(drive(), 0);
      const SweepView view = look(place_->catalogue, "lr");
      QCOMPARE(view.sweep.state, SweepState::failed);
      QCOMPARE(view.sweep.message,
               std::string("3 trials failed, and none has a value; the last failure: job 7 was cancelled"));
      QCOMPARE(view.legs.size(), failed);
      storage::Sweeps(place_->catalogue).resume("lr");
    }
  }

  // Where one has a value, or has diverged, the others may fail as they like.
  void whoHasAValueDoesNotGiveUp() {
    place_->cancels_rest = true;
    place_->first_loss = 0.5;
    create(1, 5);
    const SweepView view = driven();
    QCOMPARE(view.sweep.state, SweepState::finished);
    QCOMPARE(view.sweep.message, std::string());
    QCOMPARE(view.legs.size(), 5u);
    QCOMPARE(view.best, std::optional<std::size_t>(0));
  }

  void whereAllAreTriedInVainThereIsNoValue() {
    place_->cancels_rest = true;
    place_->first_loss = NAN;
    create(1, 5);
    const SweepView view = driven();
    QCOMPARE(view.sweep.state, SweepState::failed);
    QCOMPARE(view.sweep.message, std::string("no trial has a value"));
    QCOMPARE(view.legs.size(), 5u);
    QCOMPARE(view.trials[0].standing.state, Standing::State::diverged);
  }

  void aSweepWithoutAPlaceToTrainFails() {
    create(0);
    const SweepView view = driven();
    QCOMPARE(view.sweep.state, SweepState::failed);
    VERIFY_HOLDS(view.sweep.message, "a width of 0");
  }

  // A member of a population begins there from the checkpoint that was put into its folder.
  void aPopulationElsewhereHasItsCheckpoints() {
    place_->writes = true;
    create(4, 4, "{\"there\":1}", {StopRule::Kind::pbt, kMin, 2 * kMin});
    const SweepView view = driven();
    QCOMPARE(view.sweep.message, std::string());
    QCOMPARE(view.sweep.state, SweepState::finished);
    QCOMPARE(view.legs.size(), 8u);
    QVERIFY(view.legs[4].origin);
    const std::string run = view.trials[view.legs[4].trial].runs[0],
                      from = view.trials[*view.legs[4].origin].runs[0];
    const std::vector<storage::Event> events = place_->catalogue.events(run);
    const auto forked =
        std::ranges::find(events, "Forked from run " + from + " after step 100.", &storage::Event::text);
    QVERIFY(forked != events.end());
    QCOMPARE(forked->step, 100);
    QCOMPARE(forked->generation, 0);
    QCOMPARE(place_->specs.size(), 5u);
  }

  // A person changes his mind while the runs are called back: these go on, too.
  void whatWasCalledBackBehindItsBackGoesOn() {
    place_->stop_after = 1;
    place_->resumes = 1;
    create(1);
    const SweepView view = driven();
    QCOMPARE(view.sweep.state, SweepState::finished);
    for (const TrialView& trial : view.trials) QVERIFY(trial.standing.value);
    QVERIFY(place_->begun.at(view.trials[0].runs[0]) > 1);
  }

  // The driver stays until nothing of its sweeps trains elsewhere.
  void whatEndsSlowlyIsWaitedFor() {
    place_->stop_after = 1;
    place_->ends_after = 25;  // for longer than it stays where there is nothing to do
    create(1);
    QCOMPARE(drive(), 0);
    QCOMPARE(place_->recalls, 27);
    QCOMPARE(place_->catalogue.run(look(place_->catalogue, "lr").trials[0].runs[0])->state,
             RunState::stopped);
  }

  // The same process counts anew.
  void whoIsResumedMeanwhileHasAsManyMoreToFail() {
    place_->cancels_first = place_->cancels_rest = true;
    place_->resumes = 1;
    create(1, 10);
    const SweepView view = driven();
    QCOMPARE(view.sweep.state, SweepState::failed);
    QCOMPARE(view.legs.size(), 6u);
    QCOMPARE(place_->recalls, 2);
  }

  // The one before was killed when it had begun a leg and not submitted its run.
  void whatWasBegunIsSubmitted() {
    create(1);
    const auto next = next_leg(look(place_->catalogue, "lr").file, 1, {});
    storage::SweepLeg leg;
    leg.parameters = Space({real("lr", 0.001, 1, true)}).texts(next->point);
    storage::Sweeps(place_->catalogue).begin_leg("lr", 0, leg);
    const SweepView view = driven();
    QCOMPARE(view.sweep.state, SweepState::finished);
    QCOMPARE(place_->specs.size(), 3u);
    for (const TrialView& trial : view.trials) QVERIFY(trial.standing.value);
  }

  // A program that comes to its end without the metric has none at any rung.
  void whoEndsWithoutTheMetricIsNotToldOfRungs() {
    place_->series = "lost";
    place_->finishes = true;
    create(1, 10);
    const SweepView view = driven();
    VERIFY_HOLDS(view.sweep.message, "came to its end without a value of 'loss'",
                 "Correct `metric` in the file, then call `batchscope sweep rm lr`");
  }

  // Once more where it was well in between.
  void eachFaultIsTold() {
    place_->faults = 25;  // for longer than it stays where there is nothing to do
    place_->fault_after = 2;
    create(1);
    const StandardError said;
    const SweepView view = driven();
    QCOMPARE(view.sweep.state, SweepState::finished);
    QCOMPARE(said.count("sweeps cannot go on: the road is closed"), 2);
  }

  void aMetricThatNobodyRecordsEndsIt() {
    place_->series = "lost";
    create(1, 10);
    const SweepView view = driven();
    QCOMPARE(view.sweep.state, SweepState::failed);
    QCOMPARE(view.legs.size(), 1u);
    VERIFY_HOLDS(view.sweep.message, "came to its rung without a value of 'loss': it has recorded lost. ",
                 "Correct `metric` in the file, or raise `min` below [stop]", "`batchscope sweep rm lr`");
  }

  // A fault that may be over the next time is told once, and the driver tries again; any other ends the
  // sweep.
  void aFaultOfThePlaceIsTriedAgain_data() {
    const auto row = columns<ErrorKind, SweepState>({"fault", "state"});
    row("full disk", ErrorKind::io, SweepState::finished);
    row("no answer", ErrorKind::timeout, SweepState::finished);
    row("refused", ErrorKind::conflict, SweepState::failed);
    row("not there", ErrorKind::not_found, SweepState::failed);
  }
  void aFaultOfThePlaceIsTriedAgain() {
    QFETCH(const SweepState, state);
    QFETCH(const ErrorKind, fault);
    place_->fault = fault;
    place_->faults = 2;
    create(1, 1);
    const StandardError said;
    const SweepView view = driven();
    const storage::Sweep sweep = view.sweep;
    QCOMPARE(sweep.state, state);
    const bool is_tried_again = state == SweepState::finished;
    QCOMPARE(said.count("sweeps cannot go on: the road is closed"), is_tried_again ? 1 : 0);
    QCOMPARE(sweep.message, std::string(is_tried_again ? "" : "the road is closed"));
    QCOMPARE(place_->faults, is_tried_again ? 0 : 1);
  }

  // Trials that train here are the pool's, which the driver starts. It ends where the store is gone.
  void thePoolIsStartedForTrialsHere() {
    const std::filesystem::path folder = folder_->path().toStdString(), pool = folder / "batchscope-pool";
    write_file(pool, "#!/bin/sh\ncd \"${0%/*}\" && echo >> begun && rm -f runs.db\n");
    std::filesystem::permissions(pool, std::filesystem::perms::owner_all);
    qputenv("BATCHSCOPE_BIN", (folder / "").c_str());
    create(1, 1, "");
    QCOMPARE(run_driver(*place_), 0);
    qunsetenv("BATCHSCOPE_BIN");
    QVERIFY(std::filesystem::exists(folder / "begun"));
    QVERIFY(!std::filesystem::exists(folder / "runs.db"));  // and none is made
    QVERIFY(place_->specs.empty());
  }

  // It looks each second where no row has changed.
  void whatNoRowTellsIsSeenWithinASecond() {
    place_->rests = 4;
    create(1, 1);
    place_->removes_store = true;
    QCOMPARE(run_driver(*place_, [this] { return now_ += 0.25; }), 0);
    QCOMPARE(place_->tended.front(), 100.25);
    for (std::size_t look = 3; look < 5; ++look)
      QCOMPARE(place_->tended[look] - place_->tended[look - 1], 1.0);
  }

  // It stays for more than a second without a sweep.
  void whoeverComesLateIsServed() {
    int ticks = 0;
    const auto tick = [&] {
      ++ticks;
      return now_ += 0.25;
    };
    QCOMPARE(run_driver(*place_, tick), 0);
    QCOMPARE(ticks, 9);  // a look at once, one after a second, and one after two
  }

  void aSweepThatIsStoppedCallsItsTrialsBack() {
    place_->stop_after = 2;
    create(2);
    QCOMPARE(drive(), 0);
    QCOMPARE(place_->recalls, 2);  // until none is left
    SweepView view = look(place_->catalogue, "lr");
    QCOMPARE(view.legs.size(), 2u);
    QVERIFY(!view.legs[0].outcome && !view.legs[1].outcome);
    for (const TrialView& trial : view.trials)
      QCOMPARE(place_->catalogue.run(trial.runs[0])->state, RunState::stopped);

    storage::Sweeps(place_->catalogue).resume("lr");
    view = look(place_->catalogue, "lr");
    QVERIFY(view.trials[0].waits && view.trials[1].waits);
    QCOMPARE(drive(), 0);
    QCOMPARE(look(place_->catalogue, "lr").sweep.state, SweepState::finished);
    QCOMPARE(place_->specs.size(), 3u);
  }

  void whoeverIsStoppedOnceMoreIsCalledBackOnceMore() {
    place_->stop_after = 1;
    create(1);
    bool resumed = false;
    const auto tick = [&] {
      if (place_->recalls == 2 && !std::exchange(resumed, true)) {
        place_->stop_after = 2;
        storage::Sweeps(place_->catalogue).resume("lr");
      }
      return now_ += 0.05;
    };
    QCOMPARE(run_driver(*place_, tick), 0);
    QCOMPARE(place_->begun.size(), 2u);
    QCOMPARE(place_->recalls, 4);
  }

 private:
  // The driver's time passes as fast as it looks.
  int drive() {
    return run_driver(*place_, [this] { return now_ += 0.05; });
  }

  // Drives the sweep to its end. The driver goes where its store has gone, and else stays for another second.
  SweepView driven() {
    place_->removes_store = true;
    if (drive() != 0) throw std::runtime_error("the driver failed");
    return look(place_->catalogue, "lr");
  }

  void create(int width, int trials = 3, const std::string& workplace = "{\"there\":1}",
              const StopRule& stop = {StopRule::Kind::asha, kMin, kMin* kEta, kEta}) {
    SweepFile file;
    file.name = "lr";
    file.program = "/bin/train";
    file.metric = "loss";
    file.trials = trials;
    file.method = Method::random;
    file.stop = stop;
    file.parameters = {real("lr", 0.001, 1, true)};
    storage::Sweep sweep;
    sweep.name = file.name;
    sweep.file = file.text();
    sweep.spec.program = file.program;
    sweep.width = width;
    sweep.workplace = workplace;
    storage::Sweeps(place_->catalogue).create(sweep);
  }

  std::optional<QTemporaryDir> folder_;
  double now_ = 0;  // s
  std::optional<Place> place_;
};

BATCHSCOPE_TEST(TestDriver)
#include "test_driver.moc"
