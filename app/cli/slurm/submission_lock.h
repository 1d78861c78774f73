// SPDX-License-Identifier: Apache-2.0
//
// A lock that allows one submission at a time among all processes of a store. Programs that its holder starts
// inherit the lock: if the caller of an sbatch is killed, the sbatch keeps the lock until it has ended. The
// next holder then finds its job in the queue, and submits no other.
#pragma once

namespace batchscope::cli::slurm {

class SubmissionLock {
 public:
  // Takes the lock if it is free; never blocks. Throws Error(io) if its file cannot be made.
  SubmissionLock();
  ~SubmissionLock();
  SubmissionLock(const SubmissionLock&) = delete;
  SubmissionLock& operator=(const SubmissionLock&) = delete;

  bool held() const { return held_; }

 private:
  int descriptor_ = -1;
  bool held_ = false;
};

}  // namespace batchscope::cli::slurm
