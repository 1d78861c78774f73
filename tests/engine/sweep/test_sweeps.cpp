// SPDX-License-Identifier: Apache-2.0
//
// Sweeps as people begin, pause, resume, stop, extend, remove and restore them: what is written, who is
// started for it, and what is refused.
#include "batchscope/sweep/sweeps.h"

#include <fstream>

#include "batchscope/run/machine.h"
#include "batchscope/sweep/driver.h"
#include "spaces.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::sweep;
using namespace batchscope::storage::test;
using batchscope::testing::choice;
using batchscope::testing::integer;
using batchscope::testing::real;
using protocol::RunState;
using storage::SweepState;

class TestSweeps : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = {};
    qputenv("BATCHSCOPE_BIN", (folder_ / "").c_str());
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    for (const char* name : {"batchscope-pool", "batchscope-sweep"}) {
      write_file(folder_ / name, "#!/bin/sh\necho \"${0##*/}\" >> \"${0%/*}/begun\"\n");
      std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
    }
    catalogue_.emplace(folder_ / "runs.db");
    sweeps_.emplace(*catalogue_);
    file_ = {};
    file_.name = "rates";
    file_.program = "/bin/true";
    file_.metric = "loss";
    file_.trials = 4;
    file_.parameters = {real("lr", 0.001, 1, true)};
    base_ = {};
    base_.program = "/bin/true";
    base_.working_directory = "/";
    base_.device = "cpu";
  }
  void cleanupTestCase() {
    qunsetenv("BATCHSCOPE_BIN");
    qunsetenv("BATCHSCOPE_DB");
  }

  void whatIsBegunIsDriven() {
    create(*catalogue_, file_, base_, false, 3, "", "a word");
    const storage::Sweep sweep = sweeps_->find("rates").value();
    QCOMPARE(sweep.state, SweepState::running);
    QCOMPARE(sweep.width, 3);
    QCOMPARE(sweep.message, "a word");
    QVERIFY(SweepFile::parse(sweep.file, "rates") == file_);
    QCOMPARE(QByteArray::fromStdString(sweep.spec.environment.at("PATH")), qgetenv("PATH"));
    QTRY_COMPARE(begun(), Names{"batchscope-sweep"});
    VERIFY_THROWS("conflict", "rates", create(*catalogue_, file_, base_));
  }

  // Where nobody says how many: as many legs at once as there are devices for.
  void itsWidthIsTheMachines() {
    const int cores = static_cast<int>(run::Machine::here().cores.size());
    const auto width = [&](const char* name) {
      file_.name = name;
      create(*catalogue_, file_, base_, true);
      return sweeps_->find(name)->width;
    };
    QCOMPARE(width("one core each"), cores);
    base_.replicas = cores;
    QCOMPARE(width("all cores"), 1);
    base_.auto_replicas = protocol::AutoReplicas{1, 0};
    QCOMPARE(width("one to all"), cores);
    base_.auto_replicas = protocol::AutoReplicas{1, cores};
    QCOMPARE(width("one to as many"), cores);
    base_.auto_replicas = protocol::AutoReplicas{cores, 0};
    QCOMPARE(width("all at least"), 1);
    base_.auto_replicas = protocol::AutoReplicas{1, 0};
    file_.name = "as was said";
    create(*catalogue_, file_, base_, true, 1);
    QCOMPARE(sweeps_->find("as was said")->width, 1);
    qputenv("CUDA_VISIBLE_DEVICES", "0,1,2,3,4");
    QCOMPARE(width("still on cores"), cores);
    base_.device = "auto";
    QCOMPARE(width("one GPU each"), 5);
    qunsetenv("CUDA_VISIBLE_DEVICES");
  }

  void whatBeginsPausedIsNotDriven() {
    create(*catalogue_, file_, base_, true);
    QCOMPARE(sweeps_->find("rates")->state, SweepState::paused);
    resume(*catalogue_, "rates");
    QCOMPARE(sweeps_->find("rates")->state, SweepState::running);
    QTRY_COMPARE(begun(), Names{"batchscope-sweep"});  // and once
  }

  void whatCouldNeverTrainIsRefused() {
    for (const char* name : {"-x", ".x", " x", "x ", "a/b"}) {
      file_.name = name;
      VERIFY_THROWS("usage", "cannot be the name of a sweep", check(file_, base_));
    }
    file_.name = "rates";
    file_.metric = "";
    VERIFY_THROWS("usage", "a series has no name", check(file_, base_));
    file_.metric = std::string(2000, 'x');
    VERIFY_THROWS("usage", "cannot be the name of a series", check(file_, base_));
    file_.metric = "loss";
    check(file_, base_);
    file_.seeds = 2;
    check(file_, base_);
    file_.parameters.push_back(choice("seed", {"1", "2"}));
    VERIFY_THROWS("usage", "parameter 'seed': with `seeds` above 1", check(file_, base_));
    file_.seeds = 1;
    check(file_, base_);
    base_.program = "/nothing/there";
    VERIFY_THROWS("not_found", "/nothing/there", check(file_, base_));
    base_.program = "/bin/true";
    base_.replicas = 4000;  // which another place may have
    VERIFY_THROWS("conflict", "4000 replicas", check(file_, base_));
    check(file_, base_, true);
    VERIFY_THROWS("conflict", "4000 replicas", create(*catalogue_, file_, base_));
    QVERIFY(!sweeps_->find("rates"));
  }

  // Its bounds hold for the outermost values, and several seeds need a parameter that takes them.
  void aRecipeSaysWhatMayBeSearched() {
    const std::string recipe = R"(name = "tiny"
title = "Tiny"
program = "/bin/true"

[[parameter]]
name = "lr"
type = "number"
default = 0.1
min = 0.01
max = 1
)";
    base_.recipe = (folder_ / "recipe.toml").string();
    write_file(base_.recipe, recipe);
    file_.parameters = {real("lr", 0.01, 1)};
    check(file_, base_);
    file_.seeds = 2;
    VERIFY_THROWS("usage", "seeds = 2: the recipe tiny has no parameter 'seed'", check(file_, base_));
    write_file(base_.recipe, recipe + "[[parameter]]\nname = \"seed\"\ntype = \"integer\"\ndefault = 0\n");
    check(file_, base_);
    file_.parameters = {real("lr", 0.01, 1.5)};
    VERIFY_THROWS("usage", "found '1.5'", check(file_, base_));
    file_.parameters = {real("lr", 0.001, 1)};
    VERIFY_THROWS("usage", "found '0.001'", check(file_, base_));
    file_.parameters = {choice("lr", {"0.1", "2", "0.2"})};
    VERIFY_THROWS("usage", "parameter 'lr': ", check(file_, base_));
    file_.parameters = {real("rate", 0.01, 1)};
    VERIFY_THROWS("usage", "parameter 'rate': the recipe tiny has no parameter of this name",
                  check(file_, base_));
  }

  // A value that is fixed counts for what is searched, and not the one that the recipe has.
  void aRecipeIsAskedWithWhatIsFixed() {
    base_.recipe = (folder_ / "recipe.toml").string();
    write_file(base_.recipe, R"(name = "tiny"
title = "Tiny"
program = "/bin/true"

[[parameter]]
name = "batch"
type = "integer"
default = 16

[[parameter]]
name = "most"
type = "integer"
default = 128
at_least = "batch"
)");
    file_.parameters = {integer("most", 32, 128)};
    check(file_, base_);
    file_.parameters.push_back(choice("batch", {"64"}));
    VERIFY_THROWS("usage", "parameter 'most': expected at least 64, the batch, found '32'",
                  check(file_, base_));
    file_.parameters = {integer("most", 64, 128), choice("batch", {"64"})};
    check(file_, base_);
  }

  // A value that is searched takes the place of what was said; words that are not the recipe's own stay as
  // they are.
  void aRecipesArgumentsAreOfItsParameters() {
    base_.recipe = (folder_ / "recipe.toml").string();
    write_file(base_.recipe, R"(name = "tiny"
title = "Tiny"
program = "/bin/true"

[[parameter]]
name = "epochs"
type = "integer"
default = 5

[[parameter]]
name = "lr"
type = "number"
default = 0.1
)");
    const auto arguments = [&](const Names& words) {
      base_.arguments = words;
      return trial_spec(file_, base_, 0, {{"lr", "0.2"}}, 0).arguments;
    };
    QCOMPARE(arguments({"--lr", "0.5", "--epochs", "3"}), (Names{"--epochs", "3", "--lr", "0.2"}));
    QCOMPARE(arguments({"--lr", "0.5", "more"}), (Names{"more", "--lr", "0.2"}));
  }

  // The queue tells why a run of the pool waits; one elsewhere tells it itself, while its sweep runs.
  void whatWaitsElsewhereSaysWhy() {
    for (const std::string workplace : {"", "there"}) {
      file_.name = workplace.empty() ? "here" : "elsewhere";
      create(*catalogue_, file_, base_, true, 1, workplace);
      storage::SweepLeg leg;
      leg.parameters = {{"lr", "0.1"}};
      sweeps_->begin_leg(file_.name, 0, leg);
      const std::string run = sweeps_->submit(file_.name, {0, 0, 0, ""}, base_);
      catalogue_->set_state(run, RunState::pending, "for want of a node");
      QVERIFY(!look(*catalogue_, file_.name).trials[0].waits);
      sweeps_->set_state(file_.name, SweepState::running);
      leg.trial = 1;
      sweeps_->begin_leg(file_.name, 1, leg);  // its run is not there yet
      QVERIFY(!look(*catalogue_, file_.name).trials[1].waits);
      const TrialView trial = look(*catalogue_, file_.name).trials[0];
      QCOMPARE(trial.waits, !workplace.empty());
      QCOMPARE(trial.message, std::string(workplace.empty() ? "" : "for want of a node"));
      leg.trial = 0;
      leg.outcome = storage::SweepLeg::Outcome::value;
      sweeps_->end_leg(file_.name, 0, leg);
      QVERIFY(!look(*catalogue_, file_.name).trials[0].waits);
    }
  }

  void whoPausesHoldsItsRuns() {
    const std::string run = with_a_run();
    pause(*catalogue_, "rates");
    QCOMPARE(sweeps_->find("rates")->state, SweepState::paused);
    QVERIFY(catalogue_->job(run)->held);
    resume(*catalogue_, "rates");
    QVERIFY(!catalogue_->job(run)->held);
  }

  // The driver tells runs elsewhere.
  void whoPausesElsewhereStartsTheDriver() {
    create(*catalogue_, file_, base_, true, 1, "there");
    const std::string run = add_run(0);
    sweeps_->set_state("rates", SweepState::running);
    pause(*catalogue_, "rates");
    QTRY_COMPARE(begun(), Names{"batchscope-sweep"});
    QVERIFY(!catalogue_->job(run)->held);
  }

  void whoStopsCancelsItsRuns() {
    const std::string run = with_a_run(), ended = add_run(1);
    catalogue_->set_state(ended, RunState::finished);
    stop(*catalogue_, "rates");
    QCOMPARE(sweeps_->find("rates")->state, SweepState::stopped);
    QCOMPARE(sweeps_->find("rates")->message, "stopped by a person");
    QCOMPARE(catalogue_->run(run)->state, RunState::stopped);
    QCOMPARE(catalogue_->run(ended)->state, RunState::finished);
    VERIFY_THROWS("conflict", "was stopped: it trains nothing", pause(*catalogue_, "rates"));
    stop(*catalogue_, "rates");
    resume(*catalogue_, "rates");
    QCOMPARE(sweeps_->find("rates")->state, SweepState::running);
  }

  void whatIsOverIsLeftAlone() {
    create(*catalogue_, file_, base_, true);
    for (const auto& [state, name] :
         {std::pair{SweepState::finished, "finished"}, {SweepState::failed, "failed"}}) {
      sweeps_->set_state("rates", state);
      const std::string has = std::string("has ") + name + " and cannot be ";
      VERIFY_THROWS("conflict", has + "paused", pause(*catalogue_, "rates"));
      VERIFY_THROWS("conflict", has + "stopped", stop(*catalogue_, "rates"));
    }
    resume(*catalogue_, "rates");  // it may have failed for want of a disk
    sweeps_->set_state("rates", SweepState::finished);
    VERIFY_THROWS("conflict", "`batchscope sweep extend rates --trials N` goes on with it",
                  resume(*catalogue_, "rates"));
  }

  void trialsAndTimeAreAdded() {
    file_.device_hours = 2;
    create(*catalogue_, file_, base_, true);
    sweeps_->set_state("rates", SweepState::finished);
    extend(*catalogue_, "rates", 3);
    QCOMPARE(look(*catalogue_, "rates").file.trials, std::optional(7));
    QCOMPARE(look(*catalogue_, "rates").file.device_hours, std::optional(2.0));
    QCOMPARE(sweeps_->find("rates")->state, SweepState::running);
    QTRY_COMPARE(begun().size(), 1u);
    extend(*catalogue_, "rates", 0, 0.5);
    QCOMPARE(look(*catalogue_, "rates").file.trials, std::optional(7));
    QCOMPARE(look(*catalogue_, "rates").file.device_hours, std::optional(2.5));
    for (const auto& [trials, hours] : {std::pair{0, 0.0}, {-1, 1.0}, {1, -1.0}})
      VERIFY_THROWS("usage", "above 0", extend(*catalogue_, "rates", trials, hours));
    extend(*catalogue_, "rates", SweepFile::kMostTrials - 7);
    QCOMPARE(look(*catalogue_, "rates").file.trials, std::optional(SweepFile::kMostTrials));
    VERIFY_THROWS("usage", "at most 100000 trials", extend(*catalogue_, "rates", 1));
  }

  void whatHasNoBoundCannotBeRaised() {
    create(*catalogue_, file_, base_, true);
    VERIFY_THROWS("usage", "has no limit of device-hours", extend(*catalogue_, "rates", 0, 1));
    file_.name = "grid";
    file_.method = Method::grid;
    file_.trials.reset();
    file_.parameters = {choice("rule", {"sgd", "adam"})};
    create(*catalogue_, file_, base_, true);
    VERIFY_THROWS("usage", "tries all points of its grid", extend(*catalogue_, "grid", 1));
    file_.name = "population";
    file_.method = Method::random;
    file_.trials = 4;
    file_.device_hours = 1;
    file_.stop = {StopRule::Kind::pbt, 10, 100};
    create(*catalogue_, file_, base_, true);
    VERIFY_THROWS("usage", "a population, which keeps its size", extend(*catalogue_, "population", 1));
    extend(*catalogue_, "population", 0, 1);
    QCOMPARE(look(*catalogue_, "population").file.device_hours, std::optional(2.0));
  }

  void whatRunsIsNotRemoved() {
    const std::string run = with_a_run(), waiting = add_run(1);
    VERIFY_THROWS("conflict", "rates is running; stop it first: batchscope sweep stop rates",
                  remove(*catalogue_, "rates", false));
    catalogue_->claim_supervisor(run);
    catalogue_->set_state(run, RunState::running);
    sweeps_->set_state("rates", SweepState::paused);
    VERIFY_THROWS("conflict", "rates is paused; stop it first", removable_runs(*catalogue_, "rates"));
    sweeps_->set_state("rates", SweepState::stopped);
    VERIFY_THROWS("conflict", "is still running; wait until it has written its checkpoint",
                  removable_runs(*catalogue_, "rates"));
    catalogue_->set_state(run, RunState::paused);
    QCOMPARE(removable_runs(*catalogue_, "rates").size(), 2u);
  }

  // Nobody has to wait for what only waits itself, but elsewhere nobody knows that it does.
  void whatOnlyWaitsIsRemoved() {
    const std::string run = with_a_run();
    for (const SweepState state : {SweepState::paused, SweepState::stopped}) {
      sweeps_->set_state("rates", state);
      QCOMPARE(removable_runs(*catalogue_, "rates").size(), 1u);
    }
    remove(*catalogue_, "rates", true);
    QCOMPARE(catalogue_->run(run)->state, RunState::stopped);
    QVERIFY(catalogue_->run(run)->removed > 0);
    create(*catalogue_, file_, base_, true, 1, "there");
    add_run(0);
    sweeps_->set_state("rates", SweepState::stopped);
    VERIFY_THROWS("conflict", "is still pending; wait until it has written its checkpoint",
                  removable_runs(*catalogue_, "rates"));
  }

  // A sweep is removed with its runs or without them.
  void whatIsRemovedComesBack() {
    const std::string run = with_a_run(), gone = add_run(1);
    catalogue_->set_state(gone, RunState::finished);
    catalogue_->move_to_trash(gone);
    stop(*catalogue_, "rates");
    for (const bool with_runs : {false, true}) {
      const RemovedSweep removed = remove(*catalogue_, "rates", with_runs);
      QVERIFY(!sweeps_->find("rates"));
      QCOMPARE(removed.in_trash, with_runs ? Names{run} : Names{});
      QCOMPARE(catalogue_->run(run)->removed > 0, with_runs);
      restore(*catalogue_, removed);
      QCOMPARE(sweeps_->find("rates")->state, SweepState::stopped);
      QCOMPARE(sweeps_->legs("rates").size(), 2u);
      QCOMPARE(sweeps_->runs("rates").size(), 2u);
      QVERIFY(catalogue_->run(run)->removed == 0 && catalogue_->run(gone)->removed > 0);
    }
  }

 private:
  std::string add_run(std::size_t trial) {
    storage::SweepLeg leg;
    leg.trial = trial;
    leg.parameters = {{"lr", "0.1"}};
    sweeps_->begin_leg("rates", trial, leg);
    return sweeps_->submit("rates", {trial, 0, trial, ""}, base_);
  }
  std::string with_a_run() {
    create(*catalogue_, file_, base_, true);
    sweeps_->set_state("rates", SweepState::running);
    return add_run(0);
  }

  Names begun() const {
    std::ifstream in(folder_ / "begun");
    Names lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  Folder folder_;
  std::optional<storage::Catalogue> catalogue_;
  std::optional<storage::Sweeps> sweeps_;
  SweepFile file_;
  protocol::RunSpec base_;
};

BATCHSCOPE_TEST(TestSweeps)
#include "test_sweeps.moc"
