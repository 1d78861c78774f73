// SPDX-License-Identifier: Apache-2.0
//
// Runs and jobs of the queue in words, and as JSON for a page.
#include "batchscope/common/run_text.h"

#include <QLocale>
#include <cmath>

#include "batchscope/common/job_text.h"
#include "batchscope/common/shown_json.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::common;
using pool::JobState;
using protocol::RunState;
using storage::Run;

namespace {

protocol::RunStatus statusIn(RunState state) {
  protocol::RunStatus status;
  status.state = state;
  status.replicas = 2;
  status.target_replicas = 3;
  return status;
}

QString describedIn(RunState state) { return describe(statusIn(state)).text; }

QString epochText(RunState state, int epoch, int epochs, std::int64_t step) {
  protocol::RunStatus status = statusIn(state);
  status.epoch = epoch;
  status.epochs = epochs;
  status.step = step;
  return describeEpoch(status);
}

Run runIn(RunState state) {
  Run run;
  run.state = state;
  run.replicas = 2;
  run.created = 1.7e9;
  return run;
}

Run trainingRun() {
  Run run = runIn(RunState::running);
  run.epoch = 2;
  run.epochs = 5;
  run.latest = {{"accuracy", 0.9812}, {"loss", 3}};
  return run;
}

pool::QueueEntry jobIn(JobState state) {
  pool::QueueEntry job;
  job.state = state;
  job.run.devices = job.job.target = {"cpu:0"};
  job.run.spec.auto_replicas = protocol::AutoReplicas{1, 4};
  return job;
}

std::string text(const protocol::Json& json, const char* field) { return json.at(field).get<std::string>(); }

}  // namespace

class TestRunText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

  void aStateSaysOnHowMany() {
    QCOMPARE(describedIn(RunState::running), QStringLiteral("Training on 2 replicas"));
    QCOMPARE(describedIn(RunState::restarting), QStringLiteral("Restarting on 3 replicas"));
    QCOMPARE(describedIn(RunState::finished), QStringLiteral("Finished"));
    protocol::RunStatus status = statusIn(RunState::running);
    status.loop = "validate";
    status.replicas = 1;
    QCOMPARE(describe(status).text, QStringLiteral("Validating on 1 replica"));
  }

  void progressIsInEpochsWhereThereAreAny() {
    QCOMPARE(epochText(RunState::running, 18, 400, 7), QStringLiteral("Epoch 19 of 400"));
    QCOMPARE(epochText(RunState::finished, 1, 1, 7), QStringLiteral("1 epoch"));
    QCOMPARE(epochText(RunState::running, 3, 0, 7214), QStringLiteral("Step 7,214"));
    QCOMPARE(epochText(RunState::finished, 0, 0, 0), QStringLiteral("Not recorded"));
    QCOMPARE(epochText(RunState::starting, 0, 0, 0), QStringLiteral("Step 0"));
  }

  void timeIsToldWithWhatIsLeft() {
    protocol::RunStatus status = statusIn(RunState::running);
    status.elapsed = 3660;
    status.remaining = 2160;
    QCOMPARE(describeTime(status), QStringLiteral("61 min, about 36 min left"));
    status.state = RunState::stopped;
    QCOMPARE(describeTime(status), QStringLiteral("61 min"));
  }

  void aFractionIsToldInPercent() {
    QCOMPARE(seriesText("accuracy", 0.97294), QStringLiteral("97.29 %"));
    QCOMPARE(seriesText("accuracy", 1), QStringLiteral("100.00 %"));
    QCOMPARE(seriesText("accuracy", std::nan("")), QStringLiteral("–"));
    QCOMPARE(seriesText("loss", 0.97294), QStringLiteral("0.973"));
  }

  void aRunHasALineInAList() {
    Run run = trainingRun();
    QCOMPARE(detailText(run), QStringLiteral("epoch 3 of 5 · 98.12 %"));
    run.latest = {{"loss", std::nan("")}};
    QCOMPARE(detailText(run), QStringLiteral("epoch 3 of 5 · loss –"));
    run.state = RunState::failed;
    run.message = "rank 1 was killed";
    QCOMPARE(detailText(run), QStringLiteral("rank 1 was killed · resumable"));
  }

  void aRunWithoutAStepSaysMoreThanATime() {
    VERIFY_HOLDS(detailText(runIn(RunState::pending)).toStdString(), "since ");
    Run stopped = runIn(RunState::stopped);
    QCOMPARE(detailText(stopped), QStringLiteral("no steps"));
    stopped.message = "cancelled";
    QCOMPARE(detailText(stopped), QStringLiteral("cancelled"));
    QCOMPARE(detailText(runIn(RunState::finished)), QStringLiteral("not recorded"));
  }

  void aBadgeIsShort() {
    QCOMPARE(badgeText(runIn(RunState::running)), QStringLiteral("×2"));
    QCOMPARE(badgeText(runIn(RunState::finished)), QStringLiteral("done"));
    QCOMPARE(badgeText(runIn(RunState::failed)), QStringLiteral("failed"));
  }

  void whatASupervisorSaysIsNewer() {
    protocol::RunStatus status = statusIn(RunState::running);
    status.epoch = 3;
    status.epochs = 5;
    const auto shown = shownJson({.run = trainingRun()}, status, std::nullopt, 0);
    QCOMPARE(text(shown, "state"), std::string("Training on 2 replicas"));
    QCOMPARE(text(shown, "tone"), std::string("good"));
    QCOMPARE(text(shown, "detail"), std::string("epoch 4 of 5"));
    const auto alone = shownJson({.run = trainingRun()}, std::nullopt, std::nullopt, 0);
    QCOMPARE(text(alone, "detail"), std::string("epoch 3 of 5 · 98.12 %"));
  }

  void whenItWasHeardLastStandsForTheState() {
    const auto shown = shownJson({.run = trainingRun()}, std::nullopt, 1.7e9, 1.7e9 + 120);
    VERIFY_HOLDS(text(shown, "state"), "Last heard ");
    VERIFY_HOLDS(text(shown, "detail"), "last heard ");
    QCOMPARE(text(shown, "tone"), std::string("warning"));
    QCOMPARE(text(shown, "badge"), std::string());
  }

  void aPausedTrialSaysWhoseItIs() {
    Run trial = runIn(RunState::paused);
    trial.trial = storage::TrialOf{.sweep = "rates", .trial = 3, .rung = 1};
    QCOMPARE(text(shownJson({.run = trial}, std::nullopt, std::nullopt, 0), "whose"),
             std::string("trial 3 of the sweep rates"));
    trial.state = RunState::running;
    QVERIFY(text(shownJson({.run = trial}, std::nullopt, std::nullopt, 0), "whose").empty());
  }

  void aJobHasReplicasIsToHaveAndMayHaveSome() {
    pool::QueueEntry job = jobIn(JobState::running);
    QCOMPARE(replicasText(job), QStringLiteral("1 of 1–4"));
    job.job.target.push_back("cpu:1");
    QCOMPARE(replicasText(job), QStringLiteral("1 → 2 of 1–4"));
    job.run.spec.auto_replicas = protocol::AutoReplicas{};
    job.run.devices = job.job.target = {};
    QCOMPARE(replicasText(job), QStringLiteral("0 (auto)"));
  }

  void aJobSaysWhyItHasWhatItHas() {
    pool::QueueEntry job = jobIn(JobState::pending);
    VERIFY_HOLDS(whyText(job).toStdString(), "first decision");
    job.job.after = "b";
    VERIFY_HOLDS(whyText(job).toStdString(), "end of another run");
    job.job.reason = "worth it";
    QCOMPARE(whyText(job), QStringLiteral("worth it"));
    job.state = JobState::held;
    job.job.reason.clear();
    VERIFY_HOLDS(whyText(job).toStdString(), "resume it to let it go on");
    job.job.held = true;
    VERIFY_HOLDS(whyText(job).toStdString(), "release it");
  }

  void aTrialAtARungInvitesNobodyToResumeIt() {
    pool::QueueEntry job = jobIn(JobState::held);
    job.run.trial = storage::TrialOf{.sweep = "rates", .trial = 3, .rung = 1};
    const auto shown = shownJson(PlacedJob{job, 0, 1});
    QCOMPARE(text(shown, "why"), std::string("waits at rung 1 of rates"));
    QCOMPARE(text(shown, "state"), std::string("at rung"));
    QCOMPARE(text(shown, "tone"), std::string("warning"));
  }
};

BATCHSCOPE_TEST(TestRunText)
#include "test_run_text.moc"
