// SPDX-License-Identifier: Apache-2.0
//
// Views of a sweep from rows of the catalogue, and the run that trains a point.
#include "batchscope/sweep/sweeps.h"

#include <limits>

#include "rows.h"
#include "spaces.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::sweep;
using namespace batchscope::testing;
using storage::SweepLeg;
using Arguments = std::vector<std::string>;
using Came = SweepLeg::Outcome;

namespace {

SweepFile file() {
  SweepFile sweep;
  sweep.name = "lr";
  sweep.program = "/bin/train";
  sweep.arguments = {"--epochs", "5"};
  sweep.metric = "loss";
  sweep.trials = 4;
  sweep.stop = {StopRule::Kind::asha, 100, 900, 3};
  sweep.parameters = {real("lr", 0.001, 1, true)};
  return sweep;
}

storage::Sweep row() {
  storage::Sweep sweep;
  sweep.name = "lr";
  sweep.file = file().text();
  return sweep;
}

SweepLeg leg(std::size_t trial, int rung, const std::string& lr, double value, std::size_t heard) {
  SweepLeg leg;
  leg.trial = trial;
  leg.rung = rung;
  leg.heard = heard;
  leg.parameters = {{"lr", lr}};
  leg.began = 10.0 + static_cast<double>(trial);
  leg.ended = leg.began + 1;
  leg.outcome = Came::value;
  leg.value = value;
  leg.device_hours = 0.5;
  return leg;
}

protocol::RunSpec program(const Arguments& arguments) {
  protocol::RunSpec spec;
  spec.program = "/bin/train";
  spec.arguments = arguments;
  return spec;
}

}  // namespace

class TestView : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rowsBecomeTrials() {
    std::vector<SweepLeg> rows{leg(0, 0, "0.1", 2, 0), leg(1, 0, "0.5", 1, 1), leg(2, 0, "0.25", 3, 2)};
    rows[2].outcome = Came::failed;
    rows[2].message = "out of memory";
    const SweepView view = view_of(row(), rows, {{0, 0, 0, "aaaaaaaa"}, {1, 0, 1, "bbbbbbbb"}});
    QCOMPARE(view.trials.size(), std::size_t{3});
    QCOMPARE(view.best, std::optional<std::size_t>(1));
    QCOMPARE(view.device_hours, 1.5);
    QCOMPARE(view.trials[1].standing.value, std::optional(1.0));
    QCOMPARE(view.trials[1].runs, (Arguments{"bbbbbbbb"}));
    QCOMPARE(view.trials[2].runs, (Arguments{""}));
    QVERIFY(view.trials[2].standing.state == Standing::State::failed);
    QCOMPARE(view.trials[2].message, std::string("out of memory"));
    QCOMPARE(best_command(view),
             (Arguments{"batchscope", "run", "/bin/train", "--", "--epochs", "5", "--lr", "0.5"}));
  }

  // A person may be in another folder by then.
  void theBestIsFoundFromAnyFolder_data() {
    const auto row = columns<QString, QString, QString>({"program", "found", "told"});
    row("a path", "./train", "/home/me/train", "/home/me/train");
    row("a name here", "train", "/home/me/train", "/home/me/train");
    row("an installed name", "digits", "/usr/bin/digits", "digits");
    row("a script", "train.py", "/usr/bin/python3 /home/me/train.py", "/home/me/train.py");
  }
  void theBestIsFoundFromAnyFolder() {
    QFETCH(QString, program);
    QFETCH(QString, found);
    QFETCH(QString, told);
    SweepFile searched = file();
    searched.program = program.toStdString();
    storage::Sweep sweep = row();
    sweep.file = searched.text();
    sweep.spec.working_directory = "/home/me";
    for (const QString& word : found.split(' ')) sweep.spec.arguments.push_back(word.toStdString());
    sweep.spec.program = sweep.spec.arguments.front();
    sweep.spec.arguments.erase(sweep.spec.arguments.begin());
    sweep.spec.arguments.insert(sweep.spec.arguments.end(), {"--epochs", "5"});
    const SweepView view = view_of(sweep, {leg(0, 0, "0.1", 2, 0)}, {{0, 0, 0, "aaaaaaaa"}});
    QCOMPARE(best_command(view),
             (Arguments{"batchscope", "run", told.toStdString(), "--", "--epochs", "5", "--lr", "0.1"}));
  }

  void aRecipeOfOnesOwnIsFoundFromAnyFolder() {
    SweepFile searched = file();
    searched.program.clear();
    searched.arguments.clear();
    searched.recipe = "./mine";
    storage::Sweep sweep = row();
    sweep.file = searched.text();
    sweep.spec.working_directory = "/home/me";
    sweep.spec.recipe = "/home/me/mine/recipe.toml";
    const SweepView view = view_of(sweep, {leg(0, 0, "0.1", 2, 0)}, {{0, 0, 0, "aaaaaaaa"}});
    QCOMPARE(best_command(view),
             (Arguments{"batchscope", "run", "--recipe", "/home/me/mine/recipe.toml", "--set", "lr=0.1"}));
  }

  // A trial that goes on from another one's checkpoint has a run of its own, and the one before is not among
  // its runs.
  void aTrialThatWasReplacedHasItsNewRun() {
    storage::Sweep sweep = row();
    SweepFile population = file();
    population.trials = 2;
    population.stop = {StopRule::Kind::pbt, 100, 300};
    sweep.file = population.text();
    std::vector<SweepLeg> rows{leg(0, 0, "0.1", 2, 0), leg(1, 0, "0.5", 1, 0), leg(0, 1, "0.6", 1, 2)};
    rows[2].origin = 1;
    const std::vector<storage::TrialRun> before{{0, 0, 0, "aaaaaaaa"}, {1, 0, 1, "bbbbbbbb"}};
    QCOMPARE(view_of(sweep, rows, before).trials[0].runs, (Arguments{""}));
    const SweepView view = view_of(sweep, rows, {{0, 0, 2, "cccccccc"}, {1, 0, 1, "bbbbbbbb"}});
    QCOMPARE(view.trials[0].runs, (Arguments{"cccccccc"}));
    QCOMPARE(view.trials[0].parameters.at("lr"), std::string("0.6"));
    QCOMPARE(view.legs[2].origin, std::optional<std::size_t>(1));
  }

  void whatIsDamagedIsNamed() {
    storage::Sweep sweep = row();
    VERIFY_THROWS("corrupt", "the sweep 'lr' cannot be read",
                  view_of(sweep, {leg(0, 0, "7", 1, 0)}, {}));  // out of its range
    VERIFY_THROWS("corrupt", "the sweep 'lr' cannot be read", view_of(sweep, {leg(1, 0, "0.1", 1, 0)}, {}));
    sweep.file = "trials = ";
    VERIFY_THROWS("corrupt", "lr:1: ", view_of(sweep, {}, {}));
  }

  void thereIsNoBestYet() {
    QVERIFY(best_command(view_of(row(), {}, {})).empty());
    std::vector<SweepLeg> rows{leg(0, 0, "0.1", std::numeric_limits<double>::quiet_NaN(), 0)};
    rows[0].outcome = Came::diverged;
    QVERIFY(!view_of(row(), rows, {}).best);
  }

  void aRunPausesAtEachRungAndStopsAtTheLast() {
    const auto spec = trial_spec(file(), program({"--epochs", "5"}), 3, {{"lr", "0.2"}}, 0);
    QCOMPARE(spec.name, std::string("lr-3"));
    QCOMPARE(spec.group, std::string("lr"));
    QCOMPARE(spec.arguments, (Arguments{"--epochs", "5", "--lr", "0.2"}));
    Arguments triggers;
    for (const auto& trigger : spec.triggers) triggers.push_back(trigger.text());
    QCOMPARE(triggers, (Arguments{"iterations=100:pause", "iterations=300:pause", "iterations=900:stop"}));
  }

  void rungsMayCountSteps() {
    SweepFile sweep = file();
    sweep.stop = {StopRule::Kind::median, 10.5, 20, 1.5, StopRule::Unit::steps};
    const auto spec = trial_spec(sweep, program({}), 0, {}, 0);
    Arguments triggers;
    for (const auto& trigger : spec.triggers) triggers.push_back(trigger.text());
    QCOMPARE(triggers, (Arguments{"step=11:pause", "step=16:pause", "step=20:stop"}));
    sweep.stop = {};
    QVERIFY(trial_spec(sweep, program({}), 0, {}, 0).triggers.empty());
  }

  // Nothing is trained for longer than a thousand million iterations, nor stopped more than a thousand times.
  void rungsComeToAnEnd() {
    SweepFile sweep = file();
    sweep.stop = {StopRule::Kind::median, 1e8, {}, 10};
    const auto triggers = trial_spec(sweep, program({}), 0, {}, 0).triggers;
    QCOMPARE(triggers.size(), 2u);
    QCOMPARE(triggers.back().text(), std::string("iterations=1e+09:pause"));
    sweep.stop = {StopRule::Kind::median, 1e9 / 8, {}, 2};
    QCOMPARE(trial_spec(sweep, program({}), 0, {}, 0).triggers.size(), 4u);
    sweep.stop = {StopRule::Kind::pbt, 1, 5000};
    QCOMPARE(trial_spec(sweep, program({}), 0, {}, 0).triggers.size(), 1000u);
  }

  void whatIsSearchedReplacesWhatWasSaid() {
    const auto spec =
        trial_spec(file(), program({"--lr", "9", "--fast", "--lr=8", "x"}), 0, {{"lr", "0.2"}}, 0);
    QCOMPARE(spec.arguments, (Arguments{"--fast", "x", "--lr", "0.2"}));
    const auto at_the_end = trial_spec(file(), program({"--fast", "--lr", "9"}), 0, {{"lr", "0.2"}}, 0);
    QCOMPARE(at_the_end.arguments, (Arguments{"--fast", "--lr", "0.2"}));
    const auto cut_off = trial_spec(file(), program({"lr", "9", "--lr"}), 0, {{"lr", "0.2"}}, 0);
    QCOMPARE(cut_off.arguments, (Arguments{"lr", "9", "--lr", "0.2"}));
  }

  void theCommandHasWhatTheFileSays() {
    SweepFile searched = file();
    searched.replicas = "1-4";
    searched.device = "cpu";
    searched.devices_per_replica = 2;
    storage::Sweep sweep = row();
    sweep.file = searched.text();
    const std::vector<SweepLeg> rows{leg(0, 0, "0.1", 2, 0)};
    const Arguments options{
        "batchscope", "run", "--replicas", "1-4", "--device", "cpu", "--devices-per-replica", "2"};
    Arguments expected = options;
    for (const char* word : {"/bin/train", "--", "--epochs", "5", "--lr", "0.1"}) expected.emplace_back(word);
    QCOMPARE(best_command(view_of(sweep, rows, {})), expected);
    searched.program.clear();
    searched.recipe = "digits";
    sweep.file = searched.text();
    expected = options;
    for (const char* word : {"--recipe", "digits", "--set", "lr=0.1", "--", "--epochs", "5"})
      expected.emplace_back(word);
    QCOMPARE(best_command(view_of(sweep, rows, {})), expected);
  }

  // The time is from its first leg until the end of its last one.
  void aTrialHasATimeOfItsOwn() {
    std::vector<SweepLeg> rows{leg(0, 0, "0.1", 2, 0), leg(1, 0, "0.5", 1, 1), leg(1, 1, "0.5", 1, 2)};
    rows[2].began = 50;
    rows[2].ended = 60;
    rows[2].message = "later";
    const SweepView view = view_of(row(), rows, {{0, 1, 0, "aaaaaaaa"}, {7, 0, 0, "bbbbbbbb"}});
    QCOMPARE(view.trials[0].began, 10.0);
    QCOMPARE(view.trials[0].ended, 11.0);
    QCOMPARE(view.trials[1].began, 11.0);
    QCOMPARE(view.trials[1].ended, 60.0);
    QCOMPARE(view.trials[1].message, std::string("later"));
    // Runs of trials and seeds that there are not.
    QCOMPARE(view.trials[0].runs, (Arguments{""}));
  }

  void eachSeedIsARunOfItsOwn() {
    SweepFile sweep = file();
    sweep.seeds = 2;
    sweep.seed = 40;
    const auto spec = trial_spec(sweep, program({}), 1, {{"lr", "0.2"}}, 1);
    QCOMPARE(spec.name, std::string("lr-1.1"));
    QCOMPARE(spec.arguments, (Arguments{"--lr", "0.2", "--seed", "42"}));
    const std::vector<SweepLeg> rows{leg(0, 0, "0.1", 2, 0)};
    storage::Sweep two = row();
    two.file = sweep.text();
    QCOMPARE(view_of(two, rows, {{0, 1, 0, "bbbbbbbb"}, {0, 2, 0, "cccccccc"}}).trials[0].runs,
             (Arguments{"", "bbbbbbbb"}));
  }

  void trialsAreCounted() {
    SweepFile sweep = file();
    QCOMPARE(trials_wanted(sweep), std::size_t{4});
    sweep.method = Method::grid;
    sweep.parameters = {integer("x", 1, 3)};
    QCOMPARE(trials_wanted(sweep), std::size_t{3});
    sweep.trials.reset();
    QCOMPARE(trials_wanted(sweep), std::size_t{3});
  }
};

BATCHSCOPE_TEST(TestView)
#include "test_view.moc"
