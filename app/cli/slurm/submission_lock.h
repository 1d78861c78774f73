// SPDX-License-Identifier: Apache-2.0
//
// One submission at a time, of all processes of a store. The programs that its holder starts inherit it: an
// sbatch whose caller was killed in the meantime keeps it until it has ended, so that whoever comes next
// finds its job in the queue, and submits no other.
#pragma once

namespace batchscope::cli::slurm {

class SubmissionLock {
 public:
  // Takes it where nobody has it; never blocks. Throws Error(io) where its file cannot be made.
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
