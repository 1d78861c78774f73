// SPDX-License-Identifier: Apache-2.0
/// \file
/// A workload, and the world that it meets in the simulator (simulation.h).
#pragma once

#include <cstdint>
#include <string>

#include "batchscope/policy/cluster.h"

namespace batchscope::policy {

/// A job of a workload.
struct Submission {
  std::string name;             ///< unique in the workload
  std::int64_t time = 0;        ///< s, of its submission, at least 0
  std::string application;      ///< the application that it trains
  int num_replicas = 1;         ///< that were asked for
  std::int64_t batch_size = 1;  ///< samples that were asked for
};

/// The world that the workload meets.
struct SimulationOptions {
  Cluster cluster;          ///< of one kind of device
  double interval = 60;     ///< s between decisions, positive
  double restart = 30;      ///< s that a changed placement costs, at least 0
  double interference = 0;  ///< share of its speed that a job loses by it, 0 to below 1
  /// Under fair and fast a job that has moved often is left alone for a while, as the pool does (moves.h).
  /// The published rules know nothing of it, and with their restarts of 30 s there would be few moves.
  bool budgets_moves = false;
  /// Ours decide as the pool does. Devices that come free are given away at once, to jobs that have none;
  /// others are moved when the interval is over. The first to come goes first among equals. Nobody knows how
  /// much of a job is left before it has trained.
  bool as_pool = false;
  double opens = 0;   ///< s before which there are no devices
  double turn = 0;    ///< s that a job waits for its turn under ours; 0: an interval, or two restarts
  double start = -1;  ///< s that a job's first placement costs; negative: as a restart
};

/// A time in which a job had the same devices.
struct Tenure {
  double since = 0;     ///< s
  double until = 0;     ///< s
  Placement placement;  ///< not empty
};

}  // namespace batchscope::policy
