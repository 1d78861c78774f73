// SPDX-License-Identifier: Apache-2.0
#include "batchscope/policy/decision.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "batchscope/policy/knapsack.h"
#include "placer.h"
#include "reasons.h"
#include "starvation.h"

namespace batchscope::policy {
namespace {

void check(std::span<const Job> jobs, const Cluster& cluster) {
  std::vector<int> left;
  for (const Node& node : cluster) {
    if (node.devices < 0 || node.kind < 0)
      throw std::invalid_argument("decide: a node has a negative number");
    left.push_back(node.devices);
  }
  for (const Job& job : jobs) {
    const auto require = [&job](bool holds, const std::string& what) {
      if (!holds) throw std::invalid_argument("decide: " + job.name + ": " + what);
    };
    require(job.weight > 0 && std::isfinite(job.weight), "its weight is not positive");
    require(job.max_replicas >= 1 && job.max_replicas >= job.min_replicas, "the most replicas are too few");
    for (const Share& share : job.placement) {
      require(share.node >= 0 && static_cast<std::size_t>(share.node) < cluster.size(),
              "it is on a node that is not there");
      const auto node = static_cast<std::size_t>(share.node);
      require(cluster[node].kind == cluster[static_cast<std::size_t>(job.placement[0].node)].kind,
              "it has devices of several kinds");
      require(share.devices >= 1 && (left[node] -= share.devices) >= 0,
              "it has devices that are not there, or somebody else's");
    }
  }
}

class Decider {
 public:
  Decider(std::span<const Job> jobs, const Cluster& cluster, Objective objective)
      : jobs_(jobs), cluster_(cluster), costs_(objective, jobs, cluster) {
    for (int kind = 0; kind < kinds(cluster); ++kind) capacity_.push_back(devices(cluster, kind));
    for (const Job& job : jobs)
      if (is_fixed(job))
        capacity_[static_cast<std::size_t>(kind_of(job.placement))] -= replicas(job.placement);
  }

  Decision decide() {
    gather();
    const Packing packing = pack(options_, capacity_);
    Decision decision;
    decision.curve = packing.curve;
    decision.jobs.resize(jobs_.size());
    std::vector<Wish> wishes;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      Wish wish{.least = std::max(jobs_[job].min_replicas, 1),
                .most = most_[job],
                .fixed = is_fixed(jobs_[job]),
                .present = jobs_[job].placement};
      if (packing.feasible && place_[job] >= 0) {
        const auto index = static_cast<std::size_t>(place_[job]);
        const Option& option = options_[index][packing.chosen[index]];
        wish.kind = option.kind;
        wish.devices = option.devices;
      }
      wishes.push_back(wish);
    }
    const std::vector<Placement> placements =
        place(cluster_, wishes,
              [this](std::size_t job, const Placement& placement) { return cost(job, placement); });
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      Allocation& allocation = decision.jobs[job];
      allocation.placement = placements[job];
      allocation.changed = placements[job] != jobs_[job].placement;
      allocation.why = why(job, placements[job]);
      if (!is_fixed(jobs_[job])) decision.cost += cost(job, placements[job]);
    }
    explain(decision, jobs_, cluster_, costs_, most_);
    return decision;
  }

 private:
  int kind_of(const Placement& placement) const {
    return cluster_[static_cast<std::size_t>(placement.front().node)].kind;
  }

  double cost(std::size_t job, const Placement& placement) const {
    const bool changed = placement != jobs_[job].placement;
    if (changed && !placement.empty() && !costs_.allows(kind_of(placement), replicas(placement)))
      return HUGE_VAL;
    return costs_(job, placement.empty() ? 0 : kind_of(placement), static_cast<int>(placement.size()),
                  replicas(placement), changed);
  }

  Why why(std::size_t job, const Placement& placement) const {
    if (is_fixed(jobs_[job])) return Why::fixed;
    if (placement.empty()) return competing_[job] ? Why::waits : Why::impossible;
    return must_[job] ? Why::turn : Why::worth;
  }

  // The options of all jobs but the fixed ones.
  void gather() {
    std::vector<Options> with_devices(jobs_.size());
    competing_.resize(jobs_.size());
    most_.resize(jobs_.size());
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      if (is_fixed(jobs_[job])) continue;
      for (int kind = 0; kind < static_cast<int>(capacity_.size()); ++kind) add(job, kind, with_devices[job]);
      competing_[job] = !with_devices[job].empty();
    }
    must_ = must_be_served(jobs_, with_devices, capacity_);
    place_.assign(jobs_.size(), -1);
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      if (is_fixed(jobs_[job])) continue;
      Options options = std::move(with_devices[job]);
      if (!must_[job])
        options.insert(options.begin(), {0, 0, costs_(job, 0, 0, 0, !jobs_[job].placement.empty())});
      place_[job] = static_cast<int>(options_.size());
      options_.push_back(std::move(options));
    }
  }

  void add(std::size_t index, int kind, Options& options) {
    const Job& job = jobs_[index];
    const Placement& present = job.placement;
    const int held = !present.empty() && kind_of(present) == kind ? replicas(present) : 0;
    const int least = std::max(job.min_replicas, 1);
    const int cap = std::clamp(2 * std::max(job.max_profiled, 0), 1, job.max_replicas);
    const int most = std::min(std::max(cap, least), capacity_[static_cast<std::size_t>(kind)]);
    most_[index] = std::max(most_[index], most);
    for (int n = least; n <= most; ++n) {
      const int nodes = n == held ? static_cast<int>(present.size()) : fewest_nodes(cluster_, kind, n);
      if ((n != held && !costs_.allows(kind, n)) || !(costs_.speedup(index, kind, nodes, n) > 0)) continue;
      options.push_back({kind, n, costs_(index, kind, nodes, n, n != held)});
    }
  }

  std::span<const Job> jobs_;
  const Cluster& cluster_;
  Costs costs_;
  std::vector<int> capacity_;     // by kind, without what fixed jobs have
  std::vector<Options> options_;  // of the jobs that are not fixed
  std::vector<int> place_;        // of each job there; -1: fixed
  std::vector<int> most_;         // devices that each job may have
  std::vector<bool> competing_, must_;
};

}  // namespace

Decision decide(std::span<const Job> jobs, const Cluster& cluster, Objective objective) {
  check(jobs, cluster);
  return Decider(jobs, cluster, objective).decide();
}

}  // namespace batchscope::policy
