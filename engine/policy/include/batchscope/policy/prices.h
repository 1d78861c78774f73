// SPDX-License-Identifier: Apache-2.0
/// \file
/// What more devices, or fewer, would be worth to a queue, and how many it should have. For each number of
/// devices k it computes how well they would be used and when the queue would end (forecast.h):
///
///     utility(k) = 1/k sum over jobs of G(n) / G(1)          n: the devices that the job would have of k
///
/// All k devices count, whether a job has them or not; AdaptDL divides by those of nodes in use. AdaptDL's
/// rule (sched/policy/pollux.py, its cluster autoscaling) keeps the present number while the utility lies
/// between 0.35 and 0.65. Else it takes the number with the utility nearest to 0.5, the larger of equals, and
/// at most twice the present one. No jobs need no devices. A job has at most twice the replicas that its
/// model has measured. A model of one replica alone knows nothing of synchronisation and takes it for free,
/// so a number with which such a job would have several replicas is not advised, except the present one. With
/// a price p of a device's hour, in units of what one job's end an hour sooner is worth, the number with the
/// least total cost is advised instead:
///
///     sum over jobs of end(k) + p k (end of the last of them)
///
/// which is the largest k at which the last device saves more than it costs, if each saves less than the one
/// before. Numbers with which fewer jobs end are never advised.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batchscope/policy/cluster.h"
#include "batchscope/policy/job.h"
#include "batchscope/policy/objective.h"

namespace batchscope::policy {

/// Forecast for one number of devices.
struct DeviceCount {
  int devices = 0;            ///< so many in all
  double utility = 0;         ///< 0 to 1; above where jobs speed up more than linearly
  double sum_of_ends = 0;     ///< s, of the jobs with a known end
  std::optional<double> end;  ///< s until the last of these ends; none: no end is known
  int unknown = 0;            ///< jobs with an unknown end, such as those without a model
  /// Jobs that would at once have more replicas than their models have measured, by their place among the
  /// jobs.
  std::vector<std::size_t> unmeasured;
  bool is_guess = false;  ///< one of these was measured on one replica alone
};

/// The advice, with the forecasts that it rests on.
struct Advice {
  int present = 0;                  ///< devices that there are
  int devices = 0;                  ///< that there should be
  double utility = 0;               ///< of the present ones
  std::optional<double> end_now;    ///< s until the last job of known end ends, as it is
  std::optional<double> end_with;   ///< the same with the number of devices that the sentence is about
  int unknown = 0;                  ///< jobs with an unknown end, as it is
  std::vector<DeviceCount> counts;  ///< ascending, at most 33, the present number among them
  /// A sentence for a person: "2 more GPUs would end the queue 41 min sooner". It is about the number that is
  /// advised, or, where that is the present one, about the next above it. It names jobs that were never
  /// measured on as many replicas.
  std::string sentence;
};

/// Terms that a person sets for devices.
struct DeviceTerms {
  std::optional<double> price;    ///< of a device's hour, see above, at least 0; none: AdaptDL's rule
  std::string device = "device";  ///< name of a device in the sentence
};

/// Returns the advice for one kind of device. More devices are assumed on the node where there is one, and on
/// further nodes as large as the largest where there are several. Fewer devices means that the last ones are
/// gone, except those of jobs that are not preemptible. Makes a forecast for each number of devices:
/// milliseconds for ten jobs. Throws as decide() does, and std::invalid_argument for several kinds of device
/// or a negative price.
Advice advise(std::span<const Job> jobs, const Cluster& cluster, Objective objective,
              const DeviceTerms& terms = {});

}  // namespace batchscope::policy
