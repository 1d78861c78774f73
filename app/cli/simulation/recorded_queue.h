// SPDX-License-Identifier: Apache-2.0
//
// The runs of a group as a workload with profiles of their own, for `batchscope simulate --profiles
// runs:GROUP`: each run is a job, submitted when it was made, and an application of its name:
//
//     step times     those of the fitted model, times what was measured over what it predicts, for each
//     number
//                    of replicas that the run has had; any other number as the model has it
//     gradient       the mean of its statistics in each epoch
//     progress       scale-invariant iterations at the end of each epoch; epochs that are still to come are
//                    like the last one
//
// A run of which too little is recorded, such as one that waits in the queue, has the profile of another run
// of the same program in the group, the first that has one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/policy/simulation.h"

namespace batchscope::cli {

// The group of "runs:GROUP"; none for anything else.
std::optional<std::string> groupOf(const std::string& profiles);

struct RecordedQueue {
  std::vector<policy::Submission> workload;  // by time
  policy::Applications applications;         // by the runs' names
  std::optional<double> restart;             // s, the mean pause of their restarts; none: there was none
  std::vector<std::string> notes;            // sentences on what was left out or supposed
};

// Throws Error(not_found) for a group without runs, and Error(usage) where none has enough recorded, with
// what each lacks.
RecordedQueue readRecordedQueue(const std::string& group);

}  // namespace batchscope::cli
