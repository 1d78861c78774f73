// SPDX-License-Identifier: Apache-2.0
//
// A trial's jobs, where Slurm is a few scripts that say what they are told to: what is ordered, and what
// becomes of a trial whose jobs have ended in one way or another. On an emulated cluster: tests/slurm.
#include "slurm/trial_jobs.h"

#include <QProcess>
#include <QTemporaryDir>
#include <fstream>

#include "batchscope/storage/sweeps.h"
#include "slurm/submission_lock.h"
#include "slurm/trial_place.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::cli::slurm;
using protocol::RunState;

namespace fs = std::filesystem;

class TestTrialJobs : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    home_.emplace();
    jobs_.reset();
    const fs::path home = home_->path().toStdString();
    folder_ = home / "shared" / "k3v90abc";
    fs::create_directories(folder_);
    fs::create_directories(home / "bin");
    script("sbatch", "n=$(cat next); echo $((n + 1)) > next; echo $n");
    script("squeue", "cat queue");
    script("scancel", "echo \"$@\" >> cancelled");
    script("scontrol",
           "test \"$2\" = config && echo 'ClusterName = hpc' || cat job-$4");  // --oneliner show job N
    tell("next", "1");
    tell("queue", "");
    qputenv("PATH", (home / "bin").string().c_str() + QByteArray(":/usr/bin:/bin"));
    qputenv("BATCHSCOPE_DB", (home / "desk" / "runs.db").string().c_str());
    protocol::RunSpec spec;
    spec.program = "/bin/true";
    spec.restart_budget = 2;
    storage::keep_spec(folder_, spec);
    catalogue_.emplace(home / "desk" / "runs.db");
    storage::Sweeps sweeps(*catalogue_);
    storage::Sweep sweep;
    sweep.name = "lr";
    sweep.spec = spec;
    sweeps.create(sweep);
    run_ = sweeps.submit_elsewhere("lr", {0, 0, 0, ""}, spec, [&](const std::string&) {
      return storage::Origin{.folder = folder_.string(), .followed = true};
    });
    origins_.emplace(home / "desk" / "runs.db");
    jobs_.emplace(*catalogue_, *origins_, run_, 0);
  }

  void anOrderIsOneJobWhoeverAsksForIt() {
    QVERIFY(jobs_->isWanted());
    order();
    QVERIFY(!jobs_->isWanted());
    QCOMPARE(jobs_->order()->number, std::string("1"));
    QCOMPARE(message(), std::string("job 1 is submitted"));
    // The driver was killed before it could keep the number, and after it.
    queue("RUNNING|None|2026-11-23T08:43:37|main|n1|1");
    QCOMPARE(TrialJobs(*catalogue_, *origins_, run_).order()->number, std::string("1"));
    fs::remove(folder_ / "submitted");
    QVERIFY(jobs_->isWanted());
    order();
    QCOMPARE(jobs_->order()->number, std::string("1"));
    QCOMPARE(told("next"), std::string("2\n"));
  }

  void whatSlurmRefusesIsTriedAgainAndTold() {
    script("sbatch", "echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2; exit 1");
    order();
    QVERIFY(jobs_->isWanted());
    QVERIFY(message().find("QOSMaxSubmitJobPerUserLimit") != std::string::npos);
  }

  void whyItWaitsIsTold() {
    order();
    queue("PENDING|Resources|2026-11-23T08:43:37|main||1");
    JobQueue there;
    there.look({run_});
    jobs_->tellJob(there.of(run_));
    QVERIFY(message().starts_with(
        "job 1 on hpc, partition main: no nodes are free for it yet (Resources), expected to start at "));
    QCOMPARE(origins_->find(run_)->job->reason, std::string("Resources"));
    queue("RUNNING|None|2026-11-23T08:43:37|main|n1|1");
    there.look({run_});
    jobs_->tellJob(there.of(run_));
    QCOMPARE(message(), std::string("job 1 begins"));
  }

  void oneThatStopsByItselfIsAtItsRung() {
    order();
    folder().tell("1", {{"first_step", 0}});
    folder().tell("1", {{"last_step", 40}, {"how", end::kStopped}});
    QVERIFY(jobs_->expectsEnd());
    settle(true, RunState::stopped);
    QVERIFY(message().empty());
  }

  void oneThatAPersonCancelsIsStopped_data() {
    QTest::addColumn<bool>("begun");
    QTest::newRow("before it began") << false;
    QTest::newRow("while it trained") << true;
  }
  void oneThatAPersonCancelsIsStopped() {
    QFETCH(const bool, begun);
    order();
    if (begun) folder().tell("1", {{"first_step", 0}});
    tell("job-1", "JobId=1 JobState=CANCELLED Reason=None");
    settle(true, RunState::stopped);
    QCOMPARE(message(), std::string("job 1 was cancelled"));
  }

  void oneThatLosesItsJobGoesOnUntilNothingComesOfIt() {
    for (const auto& [number, first, last] : {std::tuple("1", 0, 10), {"2", 10, 20}, {"3", 20, 20}}) {
      order();
      QCOMPARE(jobs_->order()->number, std::string(number));
      folder().tell(number, {{"first_step", first}, {"last_step", last}});
      tell(std::string("job-") + number, "JobState=NODE_FAIL");
      settle(true, RunState::pending);
    }
    order();
    folder().tell("4", {{"host", "n1"}});
    tell("job-4", "JobState=FAILED");
    settle(true, RunState::failed);
    QVERIFY(message().starts_with("2 jobs in a row have made no step"));
  }

  void oneThatIsCalledBackGoesOnLater_data() {
    QTest::addColumn<bool>("wanted");
    QTest::newRow("when its sweep is resumed") << false;
    QTest::newRow("at once, where that has happened") << true;
  }
  void oneThatIsCalledBackGoesOnLater() {
    QFETCH(const bool, wanted);
    order();
    folder().tell("1", {{"first_step", 0}});
    jobs_->cancel({{"1", "RUNNING", "", ""}, {"2", "PENDING", "", ""}});
    QCOMPARE(told("cancelled"), std::string("1 2\n"));
    folder().tell("1", {{"how", end::kAsked}});
    folder().tell("2", {{"how", end::kStopped}});  // began in between, and found the first one cancelled
    settle(wanted, wanted ? RunState::pending : RunState::stopped);
    QCOMPARE(folder().jobs().back().how, std::string(end::kRecalled));
  }

  void whoWasKilledWhileItSubmittedIsWaitedFor() {
    QProcess sbatch;
    {
      const SubmissionLock lock;
      QVERIFY(lock.held());
      QVERIFY(!SubmissionLock().held());
      sbatch.start("sleep", {"1000"});
      QVERIFY(sbatch.waitForStarted());
    }
    QVERIFY(!SubmissionLock().held());
    sbatch.kill();
    sbatch.waitForFinished();
    QVERIFY(SubmissionLock().held());
  }

  void aPlaceIsReadAsItWasWritten() {
    TrialPlace place{.request = {}, .folder = "/scratch/me", .fixed_replicas = true};
    place.request = {"gpu", {1, 3}, 2, 4, "8:00:00", {"--account=physics"}};
    const TrialPlace read = TrialPlace::parse(place.text());
    QCOMPARE(read.text(), place.text());
    QCOMPARE(read.request.nodes.text(), std::string("1-3"));
    QCOMPARE(read.request.arguments, place.request.arguments);
    VERIFY_THROWS("corrupt", "where the sweep's trials train", TrialPlace::parse("{}"));
  }

 private:
  fs::path there(const std::string& file) const { return fs::path(home_->path().toStdString()) / file; }
  void tell(const std::string& file, const std::string& text) { std::ofstream(there(file)) << text << "\n"; }
  std::string told(const std::string& file) const {
    std::ifstream in(there(file));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void script(const std::string& name, const std::string& text) {
    tell("bin/" + name, "#!/bin/sh\ncd " + home_->path().toStdString() + "\n" + text);
    fs::permissions(there("bin/" + name), fs::perms::owner_all);
  }
  // The job 1 is in it.
  void queue(const std::string& state) { tell("queue", jobName(run_) + "|1|" + state); }

  JobFolder folder() const { return JobFolder(folder_); }
  std::string message() { return catalogue_->run(run_)->message; }

  void order() {
    JobQueue there;
    there.look({run_});
    jobs_->submit({}, there);
  }

  void settle(bool wanted, RunState state) {
    QVERIFY(jobs_->settle(wanted));
    QVERIFY(!jobs_->order());
    QCOMPARE(catalogue_->run(run_)->state, state);
  }

  std::optional<QTemporaryDir> home_;
  fs::path folder_;
  std::string run_;
  std::optional<storage::Catalogue> catalogue_;
  std::optional<storage::Origins> origins_;
  std::optional<TrialJobs> jobs_;
};

BATCHSCOPE_TEST(TestTrialJobs)
#include "test_trial_jobs.moc"
