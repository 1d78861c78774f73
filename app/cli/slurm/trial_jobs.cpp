// SPDX-License-Identifier: Apache-2.0
#include "slurm/trial_jobs.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/telemetry.h"
#include "records/record_file.h"
#include "slurm/job_submission.h"
#include "slurm/programs.h"
#include "slurm/run_job.h"
#include "text/format.h"
#include "text/job_note.h"

namespace batchscope::cli::slurm {
namespace {

using protocol::monotonic_seconds;
using protocol::RunState;
using Jobs = std::vector<Job>;

constexpr double kRetry = 10;  // s after a job could not be submitted, or has not heard that it is cancelled

// An end after which no other job continues the run.
bool isOver(const std::string& how) {
  return how == end::kFinished || how == end::kFailed || how == end::kStopped;
}

// Returns the jobs from this one on; none: it has not begun.
Jobs since(Jobs jobs, const std::string& number) {
  jobs.erase(jobs.begin(), std::ranges::find(jobs, number, &Job::number));
  return jobs;
}

bool wasCancelled(const std::string& job) { return stateOf(job).starts_with("CANCELLED"); }

}  // namespace

TrialJobs::TrialJobs(storage::Catalogue& catalogue, storage::Origins& origins, std::string run, double grace)
    : catalogue_(catalogue),
      origins_(origins),
      run_(std::move(run)),
      origin_(origins.find(run_).value()),
      folder_(origin_.folder),
      grace_(grace) {}

void TrialJobs::hear() {
  std::error_code fault;
  if (!std::filesystem::exists(folder_.path() / kRecordFile, fault)) return;
  try {
    if (!taker_) {
      taker_ = std::make_unique<RecordTaker>(run_, origin_);
      tail_ = openRecordTail(RecordPlace::parse(origin_.folder), taker_->offset(), false);
    }
    bool isNew = false;
    for (std::string bytes; !(bytes = tail_->read({})).empty(); isNew = true) taker_->feed(bytes);
    if (isNew) taker_->commit();
    origin_.taken = taker_->offset();
  } catch (const Error& error) {
    // Another one is following it, or its file system does not answer: later.
    if (error.kind() != ErrorKind::conflict && error.kind() != ErrorKind::io &&
        error.kind() != ErrorKind::corrupt)
      throw;
    if (error.kind() == ErrorKind::corrupt) origin_.taken = 0;
    tail_.reset();
    taker_.reset();
  }
}

bool TrialJobs::isWanted() {
  const auto run = catalogue_.run(run_);
  return run && run->state == RunState::pending && !order();
}

bool TrialJobs::expectsEnd() const {
  const auto order = folder_.order();
  if (!order) return false;
  const Jobs jobs = since(folder_.jobs(), order->number);
  return missing_since_ > 0 || (!jobs.empty() && isOver(jobs.back().how));
}

void TrialJobs::submit(const JobRequest& request, JobQueue& queue) {
  if (monotonic_seconds() < next_try_) return;
  try {
    const std::vector<QueuedJob>& jobs = queue.of(run_);
    const std::string number = jobs.empty() ? submitJob(folder_, request) : jobs.front().number;
    folder_.keepOrder({number});
    if (jobs.empty()) queue.add(run_, number);
    next_try_ = 0;
    tellJob(queue.of(run_));
  } catch (const Error& error) {
    next_try_ = monotonic_seconds() + kRetry;
    put(RunState::pending, error.what());
  }
}

void TrialJobs::tellJob(const std::vector<QueuedJob>& jobs) {
  missing_since_ = 0;
  const auto run = catalogue_.run(run_);
  const auto order = folder_.order();
  if (!run || !order) return;
  const storage::ClusterJob job = keepJob(jobs);
  const Jobs begun = since(folder_.jobs(), order->number);
  // A job that waits behind a last word is about to be cancelled.
  if (storage::waits(job) ? !begun.empty() && isOver(begun.back().how) : run->state != RunState::pending)
    return;
  const std::string what = !storage::waits(job) ? fmt::format("job {} begins", job.number)
                           : job.reason.empty() ? fmt::format("job {} is submitted", job.number)
                                                : jobNote(origin_);
  if (run->state != RunState::pending || run->message != what) put(RunState::pending, what);
}

storage::ClusterJob TrialJobs::keepJob(const std::vector<QueuedJob>& jobs) {
  storage::ClusterJob job = jobOf(jobs);
  job.cluster = origin_.job ? origin_.job->cluster : "";
  try {
    if (job.cluster.empty() && !jobs.empty()) job.cluster = clusterOf(folder_);
  } catch (const Error&) {  // it has no name then, until the first job tells it
  }
  if (origin_.job != job) origins_.set_job(run_, job);
  origin_.job = job;
  return job;
}

void TrialJobs::cancel(const std::vector<QueuedJob>& jobs) {
  const auto order = folder_.order();
  if (!order || !order->recalled) folder_.keepOrder({order ? order->number : jobs.front().number, true});
  if (monotonic_seconds() < next_try_) return;
  next_try_ = monotonic_seconds() + kRetry;
  Strings numbers;
  for (const QueuedJob& job : jobs) numbers.push_back(job.number);
  call("scancel", numbers);  // of one that has just ended it complains
}

void TrialJobs::rest() {
  if (isWanted()) put(RunState::stopped);
}

bool TrialJobs::settle(bool wanted) {
  hear();
  const JobOrder order = folder_.order().value();
  const Jobs jobs = since(folder_.jobs(), order.number);
  const double now = monotonic_seconds();
  if (missing_since_ <= 0) missing_since_ = now;
  const bool isWhole = !jobs.empty() && !jobs.back().how.empty() && taker_ && taker_->isEnded();
  if (!isWhole && now - missing_since_ < grace_) return false;
  keepJob({});
  conclude(order, wanted);
  folder_.dropOrder();
  missing_since_ = next_try_ = 0;
  return true;
}

// Doing this twice has the same result: a driver that is killed before the order is dropped does it again.
void TrialJobs::conclude(const JobOrder& order, bool wanted) {
  const Jobs jobs = since(folder_.jobs(), order.number);
  if (!jobs.empty()) unbegun_ = 0;
  const std::string how = jobs.empty() ? "" : jobs.back().how;
  // One that only found the job before it cancelled.
  const bool hasTrained = !jobs.empty() && jobs.back().first_step;
  if (order.recalled && (!isOver(how) || !hasTrained)) {
    if (!jobs.empty()) folder_.tell(jobs.back().number, {{"how", end::kRecalled}});
    return put(wanted ? RunState::pending : RunState::stopped);
  }
  if (isOver(how) && hasTrained) {
    const RunState state = how == end::kFinished ? RunState::finished
                           : how == end::kFailed ? RunState::failed
                                                 : RunState::stopped;
    if (catalogue_.run(run_).value().state != state) put(state);
    return;
  }
  const std::string& last = jobs.empty() ? order.number : jobs.back().number;
  if (isOver(how) || wasCancelled(last)) {
    if (!jobs.empty()) folder_.tell(last, {{"how", end::kStopped}});
    return put(RunState::stopped, fmt::format("job {} was cancelled", last));
  }
  goOn(jobs, wanted);
}

// The run has lost its last job, and no job continues it.
void TrialJobs::goOn(const Jobs& jobs, bool wanted) {
  if (jobs.empty()) ++unbegun_;
  const int without = jobs.empty() ? unbegun_ : jobsWithoutStep(folder_.jobs());
  if (without < folder_.spec().restart_budget) return put(wanted ? RunState::pending : RunState::stopped);
  put(RunState::failed, fmt::format("{} in a row have made no step: see job-*.out in {}",
                                    plural(without, "job"), folder_.path().string()));
}

void TrialJobs::put(RunState state, const std::string& message) {
  catalogue_.set_state(run_, state, message);
}

}  // namespace batchscope::cli::slurm
