// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the policy knows of a job.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "batchscope/policy/cluster.h"

namespace batchscope::policy {

/// How fast a job learns with so many replicas on so many nodes of a kind, each at its best batch size:
/// samples a second at the initial batch size's efficiency, or any unit that is the same for all counts of
/// one job. 0 or less: it cannot train that way.
using Goodput = std::function<double(int kind, int num_nodes, int num_replicas)>;

/// A job that has devices or wants some.
struct Job {
  std::string name;         ///< for reasons
  Goodput goodput;          ///< none: it has no model yet, and is taken to speed up linearly
  int min_replicas = 0;     ///< fewer are of no use to it; 0 and 1 are the same: without devices it waits
  int max_replicas = 1;     ///< at least 1, and at least min_replicas
  int max_profiled = 0;     ///< replicas, the largest count that its model has measured
  bool preemptible = true;  ///< false: it keeps the devices it has
  Placement placement;      ///< devices at present; empty: none
  double age = 0;           ///< s since it was submitted
  int restarts = 0;         ///< so far
  double pause = 0;         ///< s that a restart of it takes, as measured
  int waited = 0;           ///< decisions in a row, up to now, that left it without devices
  bool left_alone = false;  ///< its moves have cost it enough time: only a turn moves it (moves.h)
  double reluctance = 0;    ///< share by which its costs count more with fewer devices than it has (moves.h)
  double weight = 1;        ///< priority, positive: its costs, that of waiting included, are multiplied by it
  /// Scale-invariant work still to do, in goodput's unit times seconds; none: not known.
  std::optional<double> remaining;
};

/// Returns the weight of a job at this place of a queue, from 0: the first to come goes first among equals,
/// as people expect of a queue.
inline double first_come_weight(std::size_t place, std::size_t jobs) {
  constexpr double kFirstCome = 1e-4;  // by which the first weighs more than the last
  return 1 + kFirstCome * static_cast<double>(jobs - place) / static_cast<double>(jobs);
}

/// Returns whether so much of a job is done that what is left of it can be told.
inline bool tells_what_is_left(double fraction_done) {
  constexpr double kLeastFraction = 0.005;
  return fraction_done >= kLeastFraction;
}

/// Returns how long a turn of waiting jobs is, s: as asked for, or longer where a restart takes so long that
/// too much would be lost to those that each turn makes.
inline double turn_with(double asked, double restart) {
  constexpr double kRestartsPerTurn = 50;
  return std::max(asked, kRestartsPerTurn * restart);
}

/// Returns whether the job keeps the devices that it has until it ends.
inline bool is_fixed(const Job& job) { return !job.preemptible && !job.placement.empty(); }

}  // namespace batchscope::policy
