// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a decision (decision.h) says: the devices that each job gets, why it gets them, and what other
/// numbers of them would have been worth.
#pragma once

#include <string>
#include <vector>

#include "batchscope/policy/cluster.h"

namespace batchscope::policy {

/// Another number of devices that a job might have had.
struct Alternative {
  int devices = 0;     ///< so many
  double speedup = 0;  ///< goodput over that of the number decided, minus 1; -1: it would wait
};

/// Why a job has what it has.
enum class Why {
  fixed,      ///< it is not preemptible
  turn,       ///< it had waited as long as a job may
  worth,      ///< the objective gives it devices
  waits,      ///< the objective gives it none
  impossible  ///< it cannot have devices: its model or its least number does not allow for any there are
};

/// The devices of one job, and why it has them.
struct Allocation {
  Placement placement;                    ///< empty: none
  Why why = Why::waits;                   ///< which rule gave it these
  bool changed = false;                   ///< it differs from the present placement
  std::vector<Alternative> alternatives;  ///< one device fewer and one more, where it may have them
  std::string reason;                     ///< a sentence for a person
};

/// The allocation of all jobs.
struct Decision {
  std::vector<Allocation> jobs;  ///< in the order of the jobs
  double cost = 0;               ///< sum of the objective's costs, as placed, without fixed jobs
  /// The least sum of costs, before placing, with 0, 1, .. devices beside those of fixed jobs, from which the
  /// worth of a device follows. Infinite where turns cannot be kept. Empty for several kinds of device.
  std::vector<double> curve;
};

}  // namespace batchscope::policy
