// SPDX-License-Identifier: Apache-2.0
//
// The knapsack along the lower convex hulls: each job begins with the fewest devices that it may have; then,
// over all jobs, the step down a hull that saves most for a device is taken, as long as devices are left.
// With one kind of device that is the optimum of the convex relaxation but for the step that no longer fits.
#include <algorithm>
#include <limits>
#include <queue>

#include "batchscope/policy/knapsack.h"
#include "knapsack_check.h"

namespace batchscope::policy {
namespace {

// Options of one kind by devices, the cheapest of each number: those on the lower convex hull, from `start`
// on.
std::vector<std::size_t> hull(const Options& options, std::size_t start, int kind) {
  std::vector<std::size_t> sorted{start};
  for (std::size_t i = 0; i < options.size(); ++i)
    if (options[i].kind == kind && options[i].devices > options[start].devices) sorted.push_back(i);
  std::sort(sorted.begin() + 1, sorted.end(), [&](std::size_t a, std::size_t b) {
    return options[a].devices != options[b].devices ? options[a].devices < options[b].devices
                                                    : options[a].cost < options[b].cost;
  });
  const auto slope = [&](std::size_t from, std::size_t to) {
    return (options[to].cost - options[from].cost) / (options[to].devices - options[from].devices);
  };
  std::vector<std::size_t> corners{start};
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const std::size_t next = sorted[i];
    if (options[next].devices == options[corners.back()].devices) continue;
    while (corners.size() > 1 &&
           slope(corners.back(), next) < slope(corners[corners.size() - 2], corners.back()))
      corners.pop_back();
    corners.push_back(next);
  }
  while (corners.size() > 1 && options[corners.back()].cost >= options[corners[corners.size() - 2]].cost)
    corners.pop_back();
  return corners;
}

struct Step {
  double saving;  // for a device, as a share of its kind's
  std::size_t job;
  int kind;
  std::size_t corner;  // of the job's hull, that it leads to
  bool operator<(const Step& other) const {
    return saving != other.saving ? saving < other.saving : job > other.job;  // the first of equals
  }
};

class Greedy {
 public:
  Greedy(std::span<const Options> jobs, std::span<const int> capacity)
      : jobs_(jobs), capacity_(capacity), left_(capacity.begin(), capacity.end()), hulls_(jobs.size()) {}

  Packing pack() {
    Packing packing;
    packing.chosen.resize(jobs_.size());
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      if (!begin(job, &packing.chosen[job])) return {};
    packing.cost = start_cost_;
    if (capacity_.size() == 1) start_curve(packing);
    while (!steps_.empty()) {
      const Step step = steps_.top();
      steps_.pop();
      std::size_t& chosen = packing.chosen[step.job];
      const Options& options = jobs_[step.job];
      if (options[chosen].devices > 0 && options[chosen].kind != step.kind)
        continue;  // it has chosen another
      const std::size_t next = hulls_[step.job][static_cast<std::size_t>(step.kind)][step.corner];
      int& left = left_[static_cast<std::size_t>(step.kind)];
      const int more = options[next].devices - options[chosen].devices;
      if (more > left) continue;
      left -= more;
      packing.cost += options[next].cost - options[chosen].cost;
      chosen = next;
      if (capacity_.size() == 1) packing.curve[static_cast<std::size_t>(capacity_[0] - left)] = packing.cost;
      offer(step.job, step.kind, step.corner + 1);
    }
    for (std::size_t k = 1; k < packing.curve.size(); ++k)
      packing.curve[k] = std::min(packing.curve[k], packing.curve[k - 1]);
    packing.feasible = true;
    return packing;
  }

 private:
  // The fewest devices, of the kind of which most are left.
  bool begin(std::size_t job, std::size_t* chosen) {
    const Options& options = jobs_[job];
    const Option* best = nullptr;
    for (const Option& option : options) {
      if (option.devices > left_[static_cast<std::size_t>(option.kind)]) continue;
      const auto room = [&](const Option& of) { return left_[static_cast<std::size_t>(of.kind)]; };
      if (best == nullptr || option.devices < best->devices ||
          (option.devices == best->devices &&
           (option.cost < best->cost || (option.cost == best->cost && room(option) > room(*best)))))
        best = &option;
    }
    if (best == nullptr) return false;
    *chosen = static_cast<std::size_t>(best - options.data());
    left_[static_cast<std::size_t>(best->kind)] -= best->devices;
    start_cost_ += best->cost;
    for (int kind = 0; kind < static_cast<int>(capacity_.size()); ++kind) {
      const bool open = best->devices == 0 || best->kind == kind;
      hulls_[job].push_back(open ? hull(options, *chosen, kind) : std::vector<std::size_t>{*chosen});
      offer(job, kind, 1);
    }
    return true;
  }

  void start_curve(Packing& packing) {
    packing.curve.assign(static_cast<std::size_t>(capacity_[0]) + 1, std::numeric_limits<double>::infinity());
    packing.curve[static_cast<std::size_t>(capacity_[0] - left_[0])] = start_cost_;
  }

  void offer(std::size_t job, int kind, std::size_t corner) {
    const std::vector<std::size_t>& corners = hulls_[job][static_cast<std::size_t>(kind)];
    if (corner >= corners.size()) return;
    const Option &from = jobs_[job][corners[corner - 1]], &to = jobs_[job][corners[corner]];
    const double devices =
        static_cast<double>(to.devices - from.devices) / capacity_[static_cast<std::size_t>(kind)];
    steps_.push({(from.cost - to.cost) / devices, job, kind, corner});
  }

  std::span<const Options> jobs_;
  std::span<const int> capacity_;
  std::vector<int> left_;
  std::vector<std::vector<std::vector<std::size_t>>> hulls_;  // by job and kind
  std::priority_queue<Step> steps_;
  double start_cost_ = 0;
};

}  // namespace

Packing pack_greedily(std::span<const Options> jobs, std::span<const int> capacity) {
  check_options(jobs, capacity);
  return Greedy(jobs, capacity).pack();
}

}  // namespace batchscope::policy
