// SPDX-License-Identifier: Apache-2.0
#include "slurm/slurm_trials.h"

#include <cstdio>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/telemetry.h"
#include "records/record_file.h"
#include "slurm/job_submission.h"
#include "slurm/submission_lock.h"
#include "slurm/trial_place.h"

namespace batchscope::cli::slurm {
namespace {

using protocol::monotonic_seconds;

constexpr double kUsual = 10;  // s between two looks into the queue, while nothing is expected of it
constexpr double kSoon = 1;    // s, while something is
constexpr double kSilence = 10;

}  // namespace

SlurmTrials::SlurmTrials() : catalogue_(protocol::catalogue_path()), origins_(protocol::catalogue_path()) {}

storage::Origin SlurmTrials::prepare(const storage::Sweep& sweep, const std::string& run,
                                     const protocol::RunSpec& spec) {
  const TrialPlace place = TrialPlace::parse(sweep.workplace);
  const int replicas = replicasOf(spec, place.fixed_replicas, place.request);
  const JobFolder folder = makeJobFolder(spec, place.request, replicas, place.folder / run);
  linkRunFolder(run, folder.path());
  return {.folder = folder.path(), .followed = true, .control = controlOf(folder.path())};
}

std::set<std::string> SlurmTrials::tend(const storage::Sweep& sweep, const Runs& runs) {
  const JobQueue& queue = queues_[sweep.name];
  std::set<std::string> unheard;
  Runs wanted;
  double oldest = kUsual;
  for (const std::string& run : runs) {
    TrialJobs* const trial = find(run);
    if (trial == nullptr) continue;
    trial->hear();
    if (trial->isWanted())
      wanted.push_back(run);
    else if (!trial->order()) {
      trials_.erase(run);
      continue;
    }
    if (trial->expectsEnd() || queue.isNew(run)) oldest = kSoon;
    unheard.insert(run);
  }
  if (unheard.empty() || !look(sweep, runs, oldest)) return unheard;
  for (const std::string& run : Runs(unheard.begin(), unheard.end())) {
    TrialJobs& trial = trials_.at(run);
    if (!trial.order()) continue;
    if (const auto& jobs = queue.of(run); !jobs.empty())
      trial.tellJob(jobs);
    else if (trial.settle(true) && !trial.isWanted()) {
      trials_.erase(run);
      unheard.erase(run);
    }
  }
  if (!wanted.empty()) submit(sweep, runs, wanted);
  return unheard;
}

std::set<std::string> SlurmTrials::recall(const storage::Sweep& sweep, const Runs& runs) {
  std::set<std::string> living;
  for (const std::string& run : runs) {
    TrialJobs* trial = nullptr;
    try {
      trial = find(run);
    } catch (const Error&) {  // its folder is gone, and with it all that could train
      continue;
    }
    if (trial != nullptr && (trial->order() || trial->isWanted()))
      living.insert(run);
    else
      trials_.erase(run);
  }
  if (living.empty()) return living;
  const SubmissionLock lock;
  if (!lock.held() || !look(sweep, runs, kSoon)) return living;
  for (const std::string& run : Runs(living.begin(), living.end())) {
    TrialJobs& trial = trials_.at(run);
    trial.hear();
    if (const auto& jobs = queues_[sweep.name].of(run); !jobs.empty()) {
      trial.cancel(jobs);
      continue;
    }
    if (trial.order() && !trial.settle(false)) continue;
    trial.rest();
    trials_.erase(run);
    living.erase(run);
  }
  return living;
}

TrialJobs* SlurmTrials::find(const std::string& run) {
  if (const auto found = trials_.find(run); found != trials_.end()) return &found->second;
  if (!origins_.find(run)) return nullptr;
  return &trials_.try_emplace(run, catalogue_, origins_, run).first->second;
}

// Asks what the queue holds of these runs, not older than so many seconds. False: Slurm does not answer.
bool SlurmTrials::look(const storage::Sweep& sweep, const Runs& runs, double oldest) {
  JobQueue& queue = queues_[sweep.name];
  if (queue.age() <= oldest) return true;
  if (monotonic_seconds() < silent_until_) return false;
  try {
    queue.look(runs);
    return true;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::not_found) throw;
    std::fprintf(stderr, "%s: %s; trying again\n", sweep.name.c_str(), error.what());
    silent_until_ = monotonic_seconds() + kSilence;
    return false;
  }
}

void SlurmTrials::submit(const storage::Sweep& sweep, const Runs& runs, const Runs& wanted) {
  const SubmissionLock lock;
  if (!lock.held() || !look(sweep, runs, 0)) return;
  const JobRequest request = TrialPlace::parse(sweep.workplace).request;
  for (const std::string& run : wanted) trials_.at(run).submit(request, queues_[sweep.name]);
}

}  // namespace batchscope::cli::slurm
