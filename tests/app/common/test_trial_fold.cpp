// SPDX-License-Identifier: Apache-2.0
//
// Runs that fold under their sweep, and the words of its row.
#include "batchscope/common/trial_fold.h"

#include "batchscope/common/trial_text.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::common;
using protocol::RunState;
using storage::Run;

namespace {

Run runOf(const char* id, RunState state) {
  Run run;
  run.id = id;
  run.name = id;
  run.state = state;
  run.replicas = 2;
  return run;
}

Run trialOf(const char* id, std::size_t number, RunState state) {
  Run run = runOf(id, state);
  run.trial = storage::TrialOf{.sweep = "rates", .trial = number, .rung = 1};
  return run;
}

// A trial whose metric had the value when it came to the rung, where it is now.
TrialStanding at(int rung, double value) {
  return {.rung = rung, .rests = true, .reached = rung, .value = value};
}

ListedSweeps ratesWith(std::map<std::size_t, TrialStanding> trials) {
  return {{"rates", {storage::SweepState::finished, "accuracy", sweep::Goal::max, std::move(trials)}}};
}

PlacedJob jobOf(Run run, pool::JobState state, std::optional<int> rung = {}) {
  PlacedJob job;
  job.entry.run = std::move(run);
  job.entry.state = state;
  job.rung = rung;
  return job;
}

std::vector<std::string> namesOf(const std::vector<QueueRow>& rows) {
  std::vector<std::string> names;
  for (const QueueRow& row : rows) names.push_back(row.job.entry.run.name);
  return names;
}

}  // namespace

class TestTrialFold : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void trialsAreOneRow() {
    Run diverged = trialOf("t2", 2, RunState::failed), early = trialOf("t0", 0, RunState::paused);
    diverged.trial->diverged = true;
    early.trial->rung = 0;
    const std::vector<RunRow> rows =
        foldTrials({runOf("new", RunState::finished), trialOf("t3", 3, RunState::running), diverged,
                    runOf("old", RunState::finished), trialOf("t1", 1, RunState::paused), early,
                    trialOf("t4", 4, RunState::paused)},
                   ratesWith({{0, at(0, 0.95)}, {1, at(1, 0.9)}}));
    QCOMPARE(rows.size(), std::size_t(3));
    QVERIFY(rows[0].run.name == "new" && rows[2].run.name == "old" && rows[2].trials.empty());
    const RunRow& sweep = rows[1];
    QCOMPARE(sweep.run.name, std::string("rates"));
    QVERIFY(sweep.run.id.empty());
    QCOMPARE(sweep.run.state, RunState::finished);
    QCOMPARE(sweep.trials.size(), std::size_t(5));
    QCOMPARE(sweep.run.replicas, 2);
    QCOMPARE(sweep.text,
             std::string("5 trials: 1 running, 1 paused, 1 waits at rung 1, 1 waits at rung 0, 1 diverged"));
  }

  // As the sweep itself has it: nobody is the best who did not come as far.
  void theBestIsOneOfThoseThatCameFarthest() {
    const auto bestOf = [](const ListedSweeps& sweeps) {
      return foldTrials({trialOf("t0", 0, RunState::paused), trialOf("t1", 1, RunState::finished),
                         trialOf("t2", 2, RunState::finished)},
                        sweeps)[0]
          .best;
    };
    const auto best = bestOf(ratesWith({{0, at(0, 0.99)}, {1, at(1, 0.9)}, {2, at(1, 0.8)}}));
    QVERIFY(best && best->trial == 1 && best->value == 0.9 && best->metric == "accuracy");
    QVERIFY(!bestOf(ratesWith({{0, {}}, {1, {}}, {2, {}}})));
    QVERIFY(!bestOf({}));
  }

  void aLoneTrialIsARun() {
    const auto rows = foldTrials({trialOf("t0", 0, RunState::running)}, {});
    QVERIFY(rows.size() == 1 && rows[0].trials.empty() && rows[0].run.id == "t0");
  }

  void runsOfSeveralSeedsAreNotCalledTrials() {
    QCOMPARE(trialsText({trialOf("a", 0, RunState::finished), trialOf("b", 0, RunState::finished)}, {}),
             std::string("2 runs: 2 finished"));
  }

  void aFilterOfTrialsUnfolds() {
    QVERIFY(unfolds(storage::RunFilter::parse("name~rates and sweep=rates")));
    QVERIFY(unfolds(storage::RunFilter::parse("not trial=3")));
    QVERIFY(!unfolds(storage::RunFilter::parse("name=sweep and accuracy>0.9")));
  }

  void theQueueFoldsThoseThatWaitAtARung() {
    using pool::JobState;
    const auto rows = foldQueue({jobOf(trialOf("t0", 0, RunState::paused), JobState::held, 1),
                                 jobOf(trialOf("t1", 1, RunState::running), JobState::running),
                                 jobOf(trialOf("t2", 2, RunState::paused), JobState::held, 1),
                                 jobOf(runOf("mine", RunState::pending), JobState::pending),
                                 jobOf(trialOf("t3", 3, RunState::finished), JobState::succeeded),
                                 jobOf(runOf("done", RunState::finished), JobState::succeeded),
                                 jobOf(trialOf("t4", 4, RunState::finished), JobState::succeeded)});
    QCOMPARE(namesOf(rows), (std::vector<std::string>{"t1", "mine", "rates", "rates", "done"}));
    QCOMPARE(rows[2].job.entry.job.reason, std::string("2 wait at rung 1 of rates"));
    QCOMPARE(rows[2].trials.size(), std::size_t(2));
    QCOMPARE(rows[3].job.entry.job.reason, std::string("2 trials: 2 finished"));
  }

  void whoseATrialIsIsTold() {
    const ListedSweeps rates = ratesWith({{3, at(1, 0.9)}, {1, {.rung = 1}}});
    const Run waiting = trialOf("t0", 3, RunState::paused);
    QVERIFY(waitsAtRung(waiting, rates));
    QVERIFY(resumedTrialText(waiting, rates).starts_with("it is trial 3 of the sweep rates"));
    QVERIFY(!waitsAtRung(trialOf("t1", 1, RunState::paused), rates));  // a person has paused it
    QVERIFY(resumedTrialText(runOf("mine", RunState::paused), rates).empty());
  }
};

BATCHSCOPE_TEST(TestTrialFold)
#include "test_trial_fold.moc"
