// SPDX-License-Identifier: Apache-2.0
//
// The runs of a group as a workload with their own profiles, for `batchscope simulate --profiles runs:GROUP`.
// Each run is a job, submitted when the run was made, and an application with the run's name:
//
//     step times     those of the fitted model, times what a step took over what was predicted, for each
//                    number of replicas that the run has had; for any other number the model's alone. What it
//                    took counts from epoch to epoch, so that validation and all else between steps is in it
//     gradient       the mean of its statistics in each epoch
//     progress       scale-invariant iterations at the end of each epoch; epochs that are still to come are
//                    like the last one
//
// A run that has recorded too little, such as one that waits in the queue, has the profile of another run of
// the same program in the group: the first that has one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/policy/simulation.h"

namespace batchscope::cli {

// Returns the group in "runs:GROUP"; none for any other text.
std::optional<std::string> groupOf(const std::string& profiles);

struct RecordedQueue {
  std::vector<policy::Submission> workload;  // by time
  policy::Applications applications;         // by the runs' names
  std::optional<double> restart;             // s, the mean pause of their restarts; none: there was none
  // s, the mean time for which a run had devices before its first epoch and after its last; none: unknown.
  std::optional<double> start;
  double opens = 0;  // s, when the first of them was given devices, which may have had to be got for them
  double turn = 0;   // s, of the store's pool
  std::vector<std::string> notes;  // sentences on what was left out or assumed
};

// Throws Error(not_found) for a group without runs, and Error(usage), with what each run lacks, if none has
// recorded enough.
RecordedQueue readRecordedQueue(const std::string& group);

}  // namespace batchscope::cli
