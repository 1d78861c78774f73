// SPDX-License-Identifier: Apache-2.0
//
// Slurm as a place where the trials of sweeps train: sweep::Workplace over TrialJobs. No job is submitted
// twice and none is forgotten, even if this process is killed: the number of a trial's job is kept in its
// folder. Before another job is submitted, the queue is asked for one, while no other process submits
// (SubmissionLock).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "batchscope/storage/catalogue.h"
#include "batchscope/sweep/workplace.h"
#include "slurm/job_queue.h"
#include "slurm/trial_jobs.h"

namespace batchscope::cli::slurm {

class SlurmTrials : public sweep::Workplace {
 public:
  SlurmTrials();

  storage::Origin prepare(const storage::Sweep& sweep, const std::string& run,
                          const protocol::RunSpec& spec) override;
  std::set<std::string> tend(const storage::Sweep& sweep, const std::vector<std::string>& runs) override;
  std::set<std::string> recall(const storage::Sweep& sweep, const std::vector<std::string>& runs) override;

 private:
  using Runs = std::vector<std::string>;

  TrialJobs* find(const std::string& run);
  bool look(const storage::Sweep& sweep, const Runs& runs, double oldest);
  void submit(const storage::Sweep& sweep, const Runs& runs, const Runs& wanted);

  storage::Catalogue catalogue_;
  storage::Origins origins_;
  std::map<std::string, TrialJobs> trials_;  // that have an order, or are to have one; by run
  std::map<std::string, JobQueue> queues_;   // by sweep
  double silent_until_ = 0;                  // Slurm did not answer; monotonic, s
};

}  // namespace batchscope::cli::slurm
