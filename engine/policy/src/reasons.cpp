// SPDX-License-Identifier: Apache-2.0
#include "reasons.h"

#include <algorithm>
#include <cmath>

namespace batchscope::policy {
namespace {

std::string signed_percent(double share) {
  const long rounded = std::lround(100 * share);
  return (rounded >= 0 ? "+" : "") + std::to_string(rounded) + " %";
}

std::string devices_text(int count) { return std::to_string(count) + (count == 1 ? " device" : " devices"); }

class Explainer {
 public:
  Explainer(const Decision& decision, std::span<const Job> jobs, const Cluster& cluster, const Costs& costs)
      : decision_(decision), jobs_(jobs), cluster_(cluster), costs_(costs) {
    keenest_ = keenest(jobs.size());
    next_ = keenest(static_cast<std::size_t>(std::max(keenest_, 0)));
  }

  int kind(std::size_t job) const {
    const Placement& placement = decision_.jobs[job].placement;
    return placement.empty() ? 0 : cluster_[static_cast<std::size_t>(placement.front().node)].kind;
  }

  double speedup(std::size_t job, int count) const {
    return costs_.speedup(job, kind(job), fewest_nodes(cluster_, kind(job), count), count);
  }

  // Returns the relative change of a job's speed-up from `from` devices to `to`.
  double change(std::size_t job, int from, int to) const {
    const double before = speedup(job, from);
    return before > 0 ? speedup(job, to) / before - 1 : 0;
  }

  std::string elsewhere(std::size_t job) const {
    const int other = keenest_ == static_cast<int>(job) ? next_ : keenest_;
    if (other < 0) return "";
    const auto index = static_cast<std::size_t>(other);
    const int count = replicas(decision_.jobs[index].placement);
    if (count == 1) return "; left, because " + jobs_[index].name + " has only one";
    return "; left, because " + jobs_[index].name + " gains " +
           signed_percent(change(index, count - 1, count)) + " by its last";
  }

 private:
  // Returns the job, apart from `job`, that would lose most by one device less; -1: nobody has a device to
  // lose.
  int keenest(std::size_t job) const {
    int keenest = -1;
    double most = -1;
    for (std::size_t other = 0; other < jobs_.size(); ++other) {
      const int count = replicas(decision_.jobs[other].placement);
      if (other == job || count < 1 || decision_.jobs[other].why == Why::fixed) continue;
      const double gain = count == 1 ? HUGE_VAL : change(other, count - 1, count);
      if (gain > most) {
        most = gain;
        keenest = static_cast<int>(other);
      }
    }
    return keenest;
  }

  const Decision& decision_;
  std::span<const Job> jobs_;
  const Cluster& cluster_;
  const Costs& costs_;
  int keenest_ = -1, next_ = -1;  // of all, and of all others
};

}  // namespace

void explain(Decision& decision, std::span<const Job> jobs, const Cluster& cluster, const Costs& costs,
             std::span<const int> most) {
  const Explainer explainer(decision, jobs, cluster, costs);
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    Allocation& allocation = decision.jobs[job];
    const int count = replicas(allocation.placement);
    const auto consider = [&](int other) {
      allocation.alternatives.push_back({other, other == 0 ? -1 : explainer.change(job, count, other)});
    };
    const bool more = count > 0 && count < most[job];
    if (count > 0 && allocation.why != Why::fixed) consider(count - 1);
    if (more && allocation.why != Why::fixed) consider(count + 1);
    switch (allocation.why) {
      case Why::fixed:
        allocation.reason = "keeps its " + devices_text(count) + ": it is not preemptible";
        break;
      case Why::impossible: allocation.reason = "waits: it cannot train on any of the devices here"; break;
      case Why::waits: allocation.reason = "waits for its turn" + explainer.elsewhere(job); break;
      case Why::turn:
        allocation.reason = devices_text(count) + ": it had waited " + std::to_string(jobs[job].waited) +
                            (jobs[job].waited == 1 ? " decision" : " decisions");
        break;
      case Why::worth:
        allocation.reason = devices_text(count);
        if (more)
          allocation.reason += "; one more: " + signed_percent(allocation.alternatives.back().speedup) +
                               explainer.elsewhere(job);
        else
          allocation.reason += ", the most that it may have";
        break;
    }
  }
}

}  // namespace batchscope::policy
