// SPDX-License-Identifier: Apache-2.0
//
// Sweeps: their legs in order, whole or not at all, and the runs of their trials.
#include "batchscope/storage/sweeps.h"

#include <limits>
#include <map>

#include "batchscope/storage/run_field.h"
#include "batchscope/storage/run_filter.h"
#include "store_test.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;
using State = SweepState;
using Outcome = SweepLeg::Outcome;

class TestSweeps : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    catalogue_.emplace(folder_ / "runs.db");
    sweeps_.emplace(*catalogue_);
  }

  void aSweepIsKeptAsItWasMade() {
    Sweep made;
    made.name = "lr";
    made.file = "metric = \"loss\"\n";
    made.spec = named("trial");
    made.spec.arguments = {"--epochs", "3"};
    made.width = 3;
    made.message = "begun by hand";
    made.workplace = "{\"there\":1}";
    sweeps_->create(made);
    const Sweep sweep = sweeps_->find("lr").value();
    QCOMPARE(sweep.file, made.file);
    QCOMPARE(sweep.spec.program, made.spec.program);
    QCOMPARE(sweep.spec.arguments, made.spec.arguments);
    QCOMPARE(sweep.width, 3);
    QCOMPARE(sweep.workplace, made.workplace);
    QVERIFY(sweep.state == State::running && sweep.created > 0 && sweep.ended == 0);
    QCOMPARE(sweep.message, "begun by hand");
    VERIFY_THROWS("conflict", "sweep resume lr", sweeps_->create(made));
    QVERIFY(!sweeps_->find("l"));
  }

  void aSweepIsFoundByTheBeginningOfItsName() {
    VERIFY_THROWS("not_found", "sweep run FILE.toml", sweeps_->resolve("latest"));
    for (const char* name : {"digits-lr", "digits-batch", "text"}) create(name);
    QCOMPARE(sweeps_->resolve("t").name, std::string("text"));
    QCOMPARE(sweeps_->resolve("latest").name, std::string("text"));
    QCOMPARE(sweeps_->resolve("digits-lr").name, std::string("digits-lr"));
    VERIFY_THROWS("usage", "digits-batch, digits-lr", sweeps_->resolve("digits"));
    VERIFY_THROWS("not_found", "text, digits-batch, digits-lr", sweeps_->resolve("x"));
    QCOMPARE(sweeps_->all().size(), 3u);
    create("digits-lr-wide");
    QCOMPARE(sweeps_->resolve("digits-lr").name, std::string("digits-lr"));  // the whole name wins
    VERIFY_THROWS("usage", "matches 2 sweeps", sweeps_->resolve("digits-l"));
  }

  void aSweepEndsAndBeginsAgain() {
    create("a");
    sweeps_->set_state("a", State::failed, "its metric never came");
    QCOMPARE(sweeps_->find("a")->message, std::string("its metric never came"));
    QVERIFY(sweeps_->find("a")->ended > 0);
    sweeps_->set_state("a", State::paused);
    QCOMPARE(sweeps_->find("a")->ended, 0.0);
    sweeps_->set_state("a", State::running);
    QVERIFY(sweeps_->find("a")->ended == 0 && sweeps_->find("a")->message.empty());
    sweeps_->set_file("a", "trials = 9\n");
    sweeps_->set_width("a", 7);
    QCOMPARE(sweeps_->find("a")->file, std::string("trials = 9\n"));
    QCOMPARE(sweeps_->find("a")->width, 7);
    VERIFY_THROWS("not_found", "there is no sweep 'b'", sweeps_->set_state("b", State::paused));
  }

  void whatWasStoppedWithASweepGoesOnWithIt() {
    create("a");
    sweeps_->begin_leg("a", 0, {});
    sweeps_->begin_leg("a", 1, {.trial = 1});
    const std::string open = submit("a", 0, "a-0");
    const std::string done = submit("a", 1, "a-1");
    sweeps_->end_leg("a", 1, {.outcome = Outcome::value, .value = 1});
    for (const std::string& id : {open, done}) {
      catalogue_->hold(id, true);
      catalogue_->set_state(id, RunState::stopped);
    }
    sweeps_->set_state("a", State::stopped);
    sweeps_->resume("a");
    QVERIFY(sweeps_->find("a")->state == State::running && sweeps_->find("a")->ended == 0);
    QCOMPARE(catalogue_->run(open)->state, RunState::pending);
    QCOMPARE(catalogue_->run(done)->state, RunState::stopped);
    QVERIFY(!catalogue_->job(open)->held && !catalogue_->job(done)->held);
  }

  void legsAreKeptInTheirOrder() {
    create("a");
    SweepLeg leg;
    leg.parameters = {{"lr", "0.1"}, {"rule", "adascale"}};
    sweeps_->begin_leg("a", 0, leg);
    leg.trial = 1;
    leg.origin = 0;
    leg.heard = 1;
    leg.rung = 2;
    sweeps_->begin_leg("a", 1, leg);
    VERIFY_THROWS("conflict", "has 2 legs", sweeps_->begin_leg("a", 1, leg));
    const SweepLeg under_way = sweeps_->legs("a")[0];
    QVERIFY(under_way.outcome == Outcome::under_way && under_way.began > 0 && under_way.ended == 0);
    SweepLeg ended;
    ended.message = "as it was told";
    ended.outcome = Outcome::value;
    ended.value = 0.75;
    ended.device_hours = 0.5;
    ended.at_end = true;
    sweeps_->end_leg("a", 0, ended);
    ended.at_end = false;
    ended.outcome = Outcome::diverged;
    ended.value = std::numeric_limits<double>::infinity();
    sweeps_->end_leg("a", 1, ended);
    const auto legs = sweeps_->legs("a");
    QCOMPARE(legs.size(), 2u);
    QCOMPARE(legs[0].parameters, leg.parameters);
    QVERIFY(!legs[0].origin && legs[0].outcome == Outcome::value && legs[0].at_end);
    QCOMPARE(legs[0].value, 0.75);
    QCOMPARE(legs[0].device_hours, 0.5);
    QVERIFY(legs[0].began > 0 && legs[0].ended >= legs[0].began);
    QCOMPARE(legs[0].message, "as it was told");
    QVERIFY(!legs[1].at_end);
    QVERIFY(legs[1].origin == 0u && legs[1].outcome == Outcome::diverged);
    QVERIFY(legs[1].trial == 1 && legs[1].rung == 2 && legs[1].heard == 1);
  }

  // One that rests goes on with its next leg, unless that is there already.
  void aLegLetsItsTrialGoOn() {
    create("a");
    sweeps_->begin_leg("a", 0, {});
    std::string prepared;
    const std::string id =
        sweeps_->submit("a", {}, named("a-0"), [&](const std::string& run) { prepared = run; });
    QCOMPARE(prepared, id);
    catalogue_->set_state(id, RunState::stopped);
    sweeps_->begin_leg("a", 1, {}, true);
    QCOMPARE(catalogue_->run(id)->state, RunState::stopped);
    sweeps_->begin_leg("a", 2, {});
    QCOMPARE(catalogue_->run(id)->state, RunState::pending);
  }

  void aRunSaysWhoseTrialItIs() {
    create("a");
    const std::string id = submit("a", 1, "a-1");
    const std::string other = catalogue_->create_run(named("other"));
    SweepLeg leg;
    leg.trial = 1;
    sweeps_->begin_leg("a", 0, leg);
    QVERIFY(!catalogue_->run(other)->trial);
    QCOMPARE(catalogue_->run(id)->trial->sweep, std::string("a"));
    QCOMPARE(catalogue_->run(id)->trial->trial, std::size_t(1));
    QVERIFY(!catalogue_->run(id)->trial->diverged);
    QCOMPARE(catalogue_->run(id)->trial->rung, 0);

    // The end of a run whose trial diverges is of no interest.
    leg.outcome = Outcome::diverged;
    sweeps_->end_leg("a", 0, leg);
    QCOMPARE(shown_state(*catalogue_->run(id)), std::string("pending"));
    catalogue_->set_state(id, RunState::failed, "the budget of 5 restarts is gone");
    catalogue_->set_state(other, RunState::failed, "the budget of 5 restarts is gone");
    std::map<std::string, std::string> states;
    for (const Run& run : catalogue_->runs()) states[run.name] = shown_state(run);
    QCOMPARE(states, (std::map<std::string, std::string>{{"a-1", "diverged"}, {"other", "failed"}}));
    const Run trial = catalogue_->run(id).value();
    QVERIFY(RunFilter::parse("state=diverged and sweep=a and trial=1").matches(trial, now()));
    QVERIFY(!RunFilter::parse("state=failed").matches(trial, now()));

    leg = {};
    leg.trial = 1;
    leg.rung = 1;
    sweeps_->begin_leg("a", 1, leg);  // from another's checkpoint: its newest leg counts
    QVERIFY(!catalogue_->run(id)->trial->diverged);
    QCOMPARE(catalogue_->run(id)->trial->rung, 1);
    sweeps_->remove("a");
    QVERIFY(!catalogue_->run(id)->trial);
  }

  void aRunIsItsTrials() {
    create("a");
    const std::string first = submit("a", 1, "a-1");
    const std::string second = submit("a", 0, "a-0");
    QCOMPARE(catalogue_->run(first)->state, RunState::pending);
    QVERIFY(catalogue_->job(first));
    auto runs = sweeps_->runs("a");
    QCOMPARE(runs.size(), 2u);
    QCOMPARE(runs[0].run, second);
    const std::string other = submit("a", 1, "a-1");
    runs = sweeps_->runs("a");
    QCOMPARE(runs.size(), 2u);
    QCOMPARE(runs[1].run, other);
    const std::string third = sweeps_->submit("a", {1, 3, 2, ""}, named("a-1.3"));
    const TrialRun place = sweeps_->runs("a").at(2);
    QCOMPARE(place.trial, 1u);
    QCOMPARE(place.seed, 3);
    QCOMPARE(place.leg, 2u);
    QCOMPARE(place.run, third);
    catalogue_->remove_run(third);
    VERIFY_THROWS("not_found", "no sweep", submit("b", 0, "b-0"));
    QCOMPARE(catalogue_->runs().size(), 3u);
    sweeps_->remove("a");
    QVERIFY(sweeps_->all().empty());
    QCOMPARE(catalogue_->runs().size(), 3u);
  }

  void aRemovedSweepIsRestoredAsItWas() {
    create("a");
    const std::string run = submit("a", 0, "a-0"), gone = submit("a", 1, "a-1");
    SweepLeg leg{.trial = 0, .parameters = {{"lr", "0.1"}}};
    sweeps_->begin_leg("a", 0, leg);
    leg.outcome = SweepLeg::Outcome::value;
    leg.value = 0.5;
    leg.device_hours = 0.25;
    sweeps_->end_leg("a", 0, leg);
    sweeps_->begin_leg("a", 1,
                       {.trial = 1, .rung = 1, .heard = 1, .origin = 0, .parameters = {{"lr", "0.2"}}});
    sweeps_->set_state("a", SweepState::stopped, "stopped by a person");
    const Sweep before = sweeps_->find("a").value();
    const auto legs = sweeps_->legs("a");
    const auto runs = sweeps_->runs("a");
    VERIFY_THROWS("conflict", "there is a sweep 'a' already", sweeps_->restore(before, legs, runs));
    sweeps_->remove("a");
    catalogue_->remove_run(gone);
    sweeps_->restore(before, legs, runs);
    const Sweep after = sweeps_->find("a").value();
    QVERIFY(after.state == before.state && after.message == before.message && after.file == before.file);
    QVERIFY(after.created == before.created && after.ended == before.ended && after.width == before.width);
    QCOMPARE(sweeps_->runs("a").size(), 1u);
    QCOMPARE(sweeps_->runs("a")[0].run, run);
    const auto back = sweeps_->legs("a");
    QCOMPARE(back.size(), 2u);
    QVERIFY(back[0].value == 0.5 && back[0].device_hours == 0.25 && back[0].ended == legs[0].ended);
    QVERIFY(back[0].outcome == SweepLeg::Outcome::value && !back[0].origin);
    QVERIFY(back[1].origin == 0u && back[1].heard == 1 && back[1].rung == 1);
    QVERIFY(back[1].outcome == SweepLeg::Outcome::under_way && back[1].parameters == legs[1].parameters);
  }

  // It is followed from its beginning on, and no pool starts it.
  void aTrialMayTrainElsewhere() {
    create("a");
    const Origin there{.folder = "/shared/x", .followed = true, .control = {"batchscope", "slurm-job"}};
    std::string prepared;
    const std::string id = sweeps_->submit_elsewhere("a", {0, 0, 0, ""}, named("a-0"), [&](const auto& run) {
      prepared = run;
      return there;
    });
    QCOMPARE(id, prepared);
    QCOMPARE(sweeps_->runs("a")[0].run, id);
    QCOMPARE(catalogue_->run(id)->state, RunState::pending);
    QVERIFY(!catalogue_->job(id));
    QVERIFY(!catalogue_->pool_needed());
    const auto origin = Origins(folder_ / "runs.db").find(id);
    QVERIFY(origin && origin->followed && origin->folder == there.folder && origin->control == there.control);

    catalogue_->set_state(id, RunState::stopped, "at its rung");
    sweeps_->go_on(id);
    QCOMPARE(catalogue_->run(id)->state, RunState::pending);
    catalogue_->set_state(id, RunState::stopped);
    sweeps_->begin_leg("a", 0, {.trial = 0});
    QCOMPARE(catalogue_->run(id)->state, RunState::pending);

    const auto fails = [](const std::string&) -> Origin { throw Error(ErrorKind::io, "no room there"); };
    VERIFY_THROWS("io", "no room", sweeps_->submit_elsewhere("a", {1, 0, 0, ""}, named("a-1"), fails));
    QCOMPARE(catalogue_->runs().size(), 1u);
  }

  // The runs that a leg goes on with wait in the queue from the moment at which the leg is there.
  void theRunsOfATrialGoOnWithItsLeg() {
    create("a");
    const std::string paused = submit("a", 0, "a-0");
    const std::string stopped = submit("a", 1, "a-1");
    catalogue_->set_state(paused, RunState::running);
    catalogue_->set_state(paused, RunState::paused);
    catalogue_->set_state(stopped, RunState::stopped, "at a rung");
    QVERIFY(catalogue_->job(paused)->rests);
    QVERIFY(!catalogue_->pool_needed());
    sweeps_->begin_leg("a", 0, {.trial = 0});
    QVERIFY(!catalogue_->job(paused)->rests);
    QVERIFY(catalogue_->pool_needed());
    // The pool that has just read the job writes of it, and takes nothing back.
    catalogue_->put_job(catalogue_->job(paused).value());
    QVERIFY(!catalogue_->job(paused)->rests);
    catalogue_->set_state(paused, RunState::running);
    QVERIFY(!catalogue_->job(paused)->rests);
    catalogue_->set_state(paused, RunState::paused);  // at its next rung
    QVERIFY(catalogue_->job(paused)->rests);
    QVERIFY(!catalogue_->pool_needed());

    sweeps_->begin_leg("a", 1, {.trial = 1, .rung = 1, .origin = 0});
    QCOMPARE(catalogue_->run(stopped)->state, RunState::stopped);
    sweeps_->begin_leg("a", 2, {.trial = 1, .rung = 1});
    const Run run = catalogue_->run(stopped).value();
    QVERIFY(run.state == RunState::pending && run.message.empty() && run.ended == 0);
    QVERIFY(catalogue_->pool_needed());
    sweeps_->go_on(paused);
    QVERIFY(!catalogue_->job(paused)->rests);
  }

 private:
  std::string submit(const std::string& sweep, std::size_t trial, const std::string& run) {
    return sweeps_->submit(sweep, {trial, 0, 0, ""}, named(run));
  }
  void create(const std::string& name) {
    Sweep sweep;
    sweep.name = name;
    sweep.spec = named("trial");
    sweeps_->create(sweep);
  }

  Folder folder_;
  std::optional<Catalogue> catalogue_;
  std::optional<Sweeps> sweeps_;
};

BATCHSCOPE_TEST(TestSweeps)
#include "test_sweeps.moc"
