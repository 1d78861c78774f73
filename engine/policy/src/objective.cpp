// SPDX-License-Identifier: Apache-2.0
#include "batchscope/policy/objective.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace batchscope::policy {
namespace {

constexpr double kEpsilon = 1e-3;
constexpr double kShortFirst = 0.5;  // fast: the exponent of the remaining time
constexpr double kHorizon = 240;     // s; the published workloads like less and more of it less
constexpr double kAdaptdlChange = 0.9;
constexpr double kLeftAlone = 1e9;  // more than all other costs together
constexpr double kSiaPower = -0.5, kSiaWaiting = 1.1;

bool ours(Objective objective) { return objective == Objective::fair || objective == Objective::fast; }

double goodput_of(const Job& job, int kind, int num_nodes, int devices) {
  const double goodput = job.goodput(kind, num_nodes, devices);
  return goodput > 0 && std::isfinite(goodput) ? goodput : 0;
}

// The cost of a job that has moved before.
double against_moves(const Job& job, int devices, bool changed, double cost) {
  const int held = replicas(job.placement);
  if (devices < held) cost *= 1 + job.reluctance;
  return held > 0 && changed && job.left_alone ? cost + kLeftAlone : cost;
}

// Weights of mean 1 in logarithms, from the seconds that the rest takes with the fair share; negative:
// unknown.
std::vector<double> short_first(const std::vector<double>& seconds) {
  double sum = 0;
  int known = 0;
  for (const double s : seconds)
    if (s > 0) {
      sum += std::log(s);
      ++known;
    }
  const double mean = sum / std::max(known, 1);
  std::vector<double> weights;
  for (const double s : seconds)
    weights.push_back(s > 0 ? std::exp(-kShortFirst * (std::log(s) - mean)) : 1.0);
  return weights;
}

}  // namespace

Objective objective_named(std::string_view name) {
  if (name == "fast") return Objective::fast;
  if (name == "pollux") return Objective::pollux;
  if (name == "adaptdl") return Objective::adaptdl;
  if (name == "sia") return Objective::sia;
  return Objective::fair;
}

Costs::Costs(Objective objective, std::span<const Job> jobs, const Cluster& cluster)
    : objective_(objective), jobs_(jobs), cluster_(cluster) {
  const int count = std::max(static_cast<int>(jobs.size()), 1);
  for (int kind = 0; kind < kinds(cluster); ++kind) {
    int largest = 1;
    for (const Node& node : cluster)
      if (node.kind == kind) largest = std::max(largest, node.devices);
    node_.push_back(largest);
    share_.push_back((devices(cluster, kind) + count - 1) / count);
  }
  std::vector<double> seconds;
  for (const Job& job : jobs) {
    double base = 0;
    for (int kind = 0; job.goodput && kind < kinds(cluster); ++kind) {
      double of_kind = 0;
      int n = objective == Objective::adaptdl ? 1
              : objective == Objective::sia   ? std::max(job.min_replicas, 1)
                                              : share_[static_cast<std::size_t>(kind)];
      // Fewer where its batch size does not allow for as many.
      for (; of_kind <= 0 && n > 0; --n)
        of_kind = goodput_of(job, kind, ours(objective) ? fewest_nodes(cluster, kind, n) : 1, n);
      base = std::max(base, of_kind);
    }
    base_.push_back(base);
    weight_.push_back(job.weight);
    seconds.push_back(base > 0 && job.remaining && *job.remaining > 0 ? *job.remaining / base : -1);
  }
  if (objective != Objective::fast) return;
  const std::vector<double> first = short_first(seconds);
  for (std::size_t i = 0; i < first.size(); ++i) weight_[i] *= first[i];
}

double Costs::speedup(std::size_t job, int kind, int num_nodes, int devices) const {
  if (devices <= 0) return 0;
  if (base_[job] > 0) return goodput_of(jobs_[job], kind, num_nodes, devices) / base_[job];
  // Where it cannot train on the fair share, nor on fewer, nothing is known but what it can train on.
  if (jobs_[job].goodput && goodput_of(jobs_[job], kind, num_nodes, devices) <= 0) return 0;
  const bool over_one = objective_ == Objective::adaptdl || objective_ == Objective::sia;
  return static_cast<double>(devices) / (over_one ? 1 : std::max(share_[static_cast<std::size_t>(kind)], 1));
}

double Costs::restart_factor(std::size_t index) const {
  const Job& job = jobs_[index];
  if (!ours(objective_)) {
    const double whole = job.age + job.pause;
    return whole > 0 ? std::max(job.age - job.restarts * job.pause, 0.0) / whole : 1;
  }
  if (job.placement.empty()) return 1;
  double horizon = kHorizon;
  if (job.remaining && job.goodput) {
    const int kind = cluster_[static_cast<std::size_t>(job.placement.front().node)].kind;
    const double goodput =
        goodput_of(job, kind, static_cast<int>(job.placement.size()), replicas(job.placement));
    if (goodput > 0) horizon = std::min(horizon, *job.remaining / goodput);
  }
  return horizon > job.pause ? 1 - job.pause / horizon : 0;
}

bool Costs::allows(int kind, int devices) const {
  if (objective_ != Objective::sia) return true;
  const int node = node_[static_cast<std::size_t>(kind)];
  return devices <= node ? (devices & (devices - 1)) == 0 || devices == node : devices % node == 0;
}

double Costs::operator()(std::size_t job, int kind, int num_nodes, int devices, bool changed) const {
  const double speedup = this->speedup(job, kind, num_nodes, devices);
  const double node = node_[static_cast<std::size_t>(kind)];
  switch (objective_) {
    case Objective::adaptdl: return -weight_[job] * (changed ? kAdaptdlChange : 1) * speedup / node;
    case Objective::sia: {
      const double worth = (changed ? restart_factor(job) : 1) * speedup;
      return weight_[job] * (worth > 0 ? std::min(std::pow(worth, kSiaPower), kSiaWaiting) : kSiaWaiting);
    }
    case Objective::fair:
    case Objective::fast:
    case Objective::pollux: break;
  }
  const double worth = (changed ? restart_factor(job) : 1) * speedup / node;
  const double cost = weight_[job] / (worth + kEpsilon);
  return ours(objective_) ? against_moves(jobs_[job], devices, changed, cost) : cost;
}

}  // namespace batchscope::policy
