// SPDX-License-Identifier: Apache-2.0
//
// A trial of a sweep as a run on Slurm, seen from the sweep's driver. Its jobs share a folder, as
// `batchscope submit --slurm` makes it, and its record is taken into the catalogue here as `batchscope
// follow` does. A leg of the trial is an order: a job is submitted, continues in its successors as any run's
// does, and the last of them ends when the trial stops at its rung. The order is settled when the queue has
// no job of the run any more and their records have arrived.
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

  // Takes what its jobs have recorded since.
  void hear();

  std::optional<JobOrder> order() const { return folder_.order(); }
  // Returns whether the trial is to train, and no job is ordered.
  bool isWanted();
  // Returns whether its newest job has reported its end, or the queue has no job of it: then the queue is
  // asked.
  bool expectsEnd() const;

  // Orders a job, or adopts the one in the queue; tries again a moment later if Slurm refuses. Call it with
  // the SubmissionLock held, and with the current queue.
  void submit(const JobRequest& request, JobQueue& queue);
  // Writes the state of its job in the queue into the catalogue, and the reason if it waits.
  void tellJob(const std::vector<QueuedJob>& jobs);
  // Ends its jobs with checkpoints.
  void cancel(const std::vector<QueuedJob>& jobs);
  // Returns whether the trial is not to train any more, and no order is open.
  void rest();

  // Settles an order that has no job in the queue any more. False: the last job's record may still arrive.
  // True: the run has ended or rests. If it lost its job and is to continue (`wanted`), it is pending again.
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
