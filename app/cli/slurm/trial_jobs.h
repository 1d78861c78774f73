// SPDX-License-Identifier: Apache-2.0
//
// A trial of a sweep as a run on Slurm, seen from where the sweep is driven. Its folder is one that its jobs
// share, as `batchscope submit --slurm` makes it, and its record is taken into the catalogue here as
// `batchscope follow` does it. A leg of the trial is an order: a job is submitted, goes on in its successors
// as any run's does, and the last of them ends where the trial stops at its rung. Then, when the queue has no
// job of the run any more and what they have told is here, the order is settled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/origins.h"
#include "follow/record_tail.h"
#include "records/record_taker.h"
#include "slurm/job_folder.h"
#include "slurm/job_queue.h"

namespace batchscope::cli::slurm {

class TrialJobs {
 public:
  // Follows the jobs of a run that is in the catalogue; both have to outlive it. `grace`: s in which a shared
  // file system shows what was written before a job ended. Throws what JobFolder throws.
  TrialJobs(storage::Catalogue& catalogue, storage::Origins& origins, std::string run, double grace = 15);

  // Takes in what its jobs have told since.
  void hear();

  std::optional<JobOrder> order() const { return folder_.order(); }
  // It is to train, and no job is ordered.
  bool isWanted();
  // Returns whether its newest job has said its last word, or the queue has none of it: what that holds now
  // is of interest.
  bool expectsEnd() const;

  // Orders a job, or takes the one in the queue for it; a moment later where Slurm takes none now. To be
  // called with the SubmissionLock, and with what the queue holds now.
  void submit(const JobRequest& request, JobQueue& queue);
  // Says in the catalogue what the queue has of it, and why it waits, where it does.
  void tellJob(const std::vector<QueuedJob>& jobs);
  // Ends its jobs with checkpoints.
  void cancel(const std::vector<QueuedJob>& jobs);
  // It is to train no more, and nothing of it was ordered, or that is settled.
  void rest();

  // Settles an order of which the queue holds no job any more. False: what its last one has told may be on
  // its way. True: the run has ended or rests, or, where it lost its job and that is to go on (`wanted`), is
  // pending again.
  bool settle(bool wanted);

 private:
  storage::ClusterJob keepJob(const std::vector<QueuedJob>& jobs);
  void conclude(const JobOrder& order, bool wanted);
  void goOn(const std::vector<Job>& jobs, bool wanted);
  void put(protocol::RunState state, const std::string& message = {});

  storage::Catalogue& catalogue_;
  storage::Origins& origins_;
  std::string run_;
  storage::Origin origin_;
  JobFolder folder_;
  double grace_;
  std::unique_ptr<RecordTaker> taker_;
  std::unique_ptr<RecordTail> tail_;
  // Monotonic, s.
  double missing_since_ = 0;  // the queue has no job of it; 0: it has
  double next_try_ = 0;       // to submit, or to cancel
  int unbegun_ = 0;           // jobs in a row that ended before they began
};

}  // namespace batchscope::cli::slurm
