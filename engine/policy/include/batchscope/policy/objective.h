// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prices a number of devices for a job: as a cost, of which the sum over all jobs is to be least. With G(n)
/// the goodput of n devices on as few nodes as hold them, F the job's fair share of the devices (all of them
/// over the jobs, rounded up), s(n) = G(n) / G(F) / (devices of a node), and for a changed placement
///
///     r = max(age - restarts * pause, 0) / (age + pause)              1 where nothing changes
///
///     pollux    (r s + 0.001)^-1        the least sum is the greatest power mean with p = -1 (Qiao et al.,
///                                       OSDI 2021, its published simulator), which takes F for one node's
///     adaptdl   -(0.9 if changed) G(n) / G(1) / (devices of a node)        AdaptDL's sched/policy/pollux.py
///     sia       (r G(n) / min G)^-0.5, and 1.1 without devices             Jayaram Subramanya et al., SOSP
///                                       2023; counts are powers of two within a node, or whole nodes
///     fair      as pollux, with F on as many nodes as it takes, and r = 1 - pause / horizon: nothing is
///               learnt in the pause, which must have paid within 240 s, or within the time that the job
///               still takes as it is; 1 for a job without devices, which loses nothing by a start
///     fast      (R / G(F))^-0.5 times that of fair: R is the work still to do, so that short jobs end
///               first; where it is not known the mean of the others', in logarithms, stands in
///
/// Under fair and fast a job that has moved often is more costly to move, or is left alone (moves.h). Through
/// the 0.001 a job without devices costs a thousand. Each cost, that of waiting included, is multiplied by
/// the weight of its job: jobs of larger weight get more devices, and get them first, but never keep others
/// from their turn (decision.h).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batchscope/policy/job.h"

namespace batchscope::policy {

/// The published or own objective that prices an allocation.
enum class Objective {
  fair,     ///< ours
  fast,     ///< ours, short remaining work first
  pollux,   ///< as in the published simulator
  adaptdl,  ///< as in AdaptDL's scheduler
  sia       ///< as in Sia
};

/// Returns the objective that is named as its enumerator is; fair for any other name.
Objective objective_named(std::string_view name);

/// The costs of each job of one decision.
class Costs {
 public:
  /// Keeps references to both, and asks each job's goodput for its fair share.
  Costs(Objective objective, std::span<const Job> jobs, const Cluster& cluster);

  /// Returns the cost of job `job` with so many devices of a kind; with 0 devices it waits. Finite: where it
  /// cannot train in a configuration, the cost of waiting.
  double operator()(std::size_t job, int kind, int num_nodes, int devices, bool changed) const;
  /// Returns goodput relative to that of the fair share; for a job without a model, or that could train only
  /// on more than that, it is linear in the devices, as far as it can train on them.
  double speedup(std::size_t job, int kind, int num_nodes, int devices) const;
  /// Returns whether the objective allows this count: Sia's are few.
  bool allows(int kind, int devices) const;

 private:
  double restart_factor(std::size_t job) const;

  Objective objective_;
  std::span<const Job> jobs_;
  const Cluster& cluster_;
  std::vector<int> node_, share_;  // by kind: devices of its largest node, the fair share
  std::vector<double> base_;       // of each job: G that its speed-ups are relative to; 0: none
  std::vector<double> weight_;     // of each job
};

}  // namespace batchscope::policy
