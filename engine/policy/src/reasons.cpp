// SPDX-License-Identifier: Apache-2.0
#include "reasons.h"

#include "counted.h"

namespace batchscope::policy {
namespace {

class Explainer {
 public:
  Explainer(const Decision& decision, const Cluster& cluster, const Costs& costs)
      : decision_(decision), cluster_(cluster), costs_(costs) {}

  int kind(std::size_t job) const {
    const Placement& placement = decision_.jobs[job].placement;
    return placement.empty() ? 0 : cluster_[static_cast<std::size_t>(placement.front().node)].kind;
  }

  double speedup(std::size_t job, int count) const {
    return costs_.speedup(job, kind(job), fewest_nodes(cluster_, kind(job), count), count);
  }

  bool has_idle(int kind) const {
    int idle = devices(cluster_, kind);
    for (std::size_t job = 0; job < decision_.jobs.size(); ++job)
      if (this->kind(job) == kind) idle -= replicas(decision_.jobs[job].placement);
    return idle > 0;
  }

  // Returns the relative change of a job's speed-up from `from` devices to `to`.
  double change(std::size_t job, int from, int to) const {
    const double before = speedup(job, from);
    return before > 0 ? speedup(job, to) / before - 1 : 0;
  }

 private:
  const Decision& decision_;
  const Cluster& cluster_;
  const Costs& costs_;
};

}  // namespace

void explain(Decision& decision, std::span<const Job> jobs, const Cluster& cluster, const Costs& costs,
             std::span<const int> most) {
  const Explainer explainer(decision, cluster, costs);
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
      case Why::fixed: allocation.reason = "keeps its " + counted(count, "device") + " until it ends"; break;
      case Why::impossible: allocation.reason = "cannot train on any device here"; break;
      case Why::waits: allocation.reason = "waits for its turn"; break;
      case Why::turn: allocation.reason = counted(count, "device") + ", as its turn has come"; break;
      case Why::worth:
        allocation.reason = counted(count, "device");
        if (!more)
          allocation.reason += ", the most that it may have";
        else if (jobs[job].left_alone && !allocation.changed)
          allocation.reason += "; not moved for now, as its last restarts took long";
        else if (explainer.has_idle(explainer.kind(job)))
          allocation.reason += "; another would not make it faster";
        else
          allocation.reason += "; another would help other jobs more";
        break;
    }
  }
}

}  // namespace batchscope::policy
