// SPDX-License-Identifier: Apache-2.0
/// \file
/// Simulates a workload under a policy, without any device: how long each job would have taken. The rules are
/// those of the simulator that was published with Pollux (OSDI 2021, branch osdi21-artifact of
/// petuum/adaptdl), whose Tiresias and Optimus this one repeats to the second:
///
///     Time goes in intervals: all jobs advance by one, then the policy decides. A job enters at the end of
///     the interval in which it was submitted.
///     A change of a job's placement stops it for the length of a restart, its first start included.
///     What SimulationOptions::as_pool and ::start say takes the place of these rules.
///     It advances by gain / (step + accumulation * (step - sync)) * (1 - interference) scale-invariant
///     iterations a second. Interference meets jobs on several nodes that share a node with another such job.
///     Under ours no job waits for longer than decision.h says, in turns of an interval or two restarts.
///     It ends with its last epoch; the end of an epoch is rounded to whole seconds, if its profile does not
///     say otherwise.
///
/// Under tiresias, optimus, fifo and srtf a job trains with the batch size that it was submitted with. Under
/// the others its batch size is what its own fitted model (engine/goodput) thinks best, chosen again at the
/// end of each epoch and of each interval, and the batch size it was submitted with is ignored.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "batchscope/policy/profile.h"
#include "batchscope/policy/workload.h"

namespace batchscope::policy {

/// How a job fared.
struct JobOutcome {
  std::string name;             ///< of its submission
  std::string application;      ///< of its submission
  double submitted = 0;         ///< s
  double completed = 0;         ///< s
  int restarts = 0;             ///< changes of its devices, without its start
  double fairness = 0;          ///< finish-time fairness, see finish_time_fairness
  std::vector<Tenure> tenures;  ///< in order of time
  double completion_time() const { return completed - submitted; }  ///< s
};

/// How a workload fared.
struct Outcome {
  std::string policy;                   ///< its name
  std::vector<JobOutcome> jobs;         ///< in the order of the workload
  double mean_completion_time() const;  ///< s; 0 without jobs
  double makespan() const;              ///< s from the first submission to the last end
  double worst_fairness() const;        ///< the largest
  int restarts() const;                 ///< of all jobs
};

/// The names of the policies: fifo, las, tiresias, optimus, srtf, pollux, adaptdl, sia, fair, fast. las,
/// least attained service first, is another word for tiresias.
const std::vector<std::string>& policy_names();

/// Runs the workload to its end: a second or two for 160 jobs. `progress` is called after each interval with
/// the epochs of all jobs that have ended and their number; what it throws ends the simulation. Throws
/// std::invalid_argument for a policy or an application that is not known, options out of their range, and a
/// job that the cluster can never hold.
Outcome simulate(const std::vector<Submission>& workload, const Applications& applications,
                 const std::string& policy, const SimulationOptions& options,
                 const std::function<void(std::int64_t done, std::int64_t all)>& progress = {});

/// Finish-time fairness of each job (Themis, Mahajan et al., NSDI 2020): its completion time over what it
/// would have taken with a fair share of the devices for itself, from its submission. The share is the
/// devices over the mean number of jobs that were there while it was, rounded down, at least one device; with
/// it the job trains, after one restart, with the batch size that is truly the best in each epoch. Above 1:
/// worse off than with its share. Looks at names, applications and times only, so that anybody's results can
/// be judged.
std::vector<double> finish_time_fairness(const std::vector<JobOutcome>& jobs,
                                         const Applications& applications, const SimulationOptions& options);

}  // namespace batchscope::policy
