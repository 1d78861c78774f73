// SPDX-License-Identifier: Apache-2.0
#include "slurm/node_choice.h"

#include <algorithm>

#include "batchscope/protocol/series.h"
#include "batchscope/run/prediction.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli::slurm {
namespace {

constexpr double kHorizon = 3600;  // s
constexpr double kChange = 30;     // s, from the last step in a job to the first in the next
constexpr double kMargin = 0.05;   // as the chooser's own
constexpr double kAskAgain = 60;   // s, before Slurm is asked again

goodput::ChooserLimits limitsOf(const protocol::AutoReplicas& replicas, double efficiency_floor, int room) {
  return {.min_replicas = replicas.min,
          .max_replicas = std::max(replicas.min, replicas.max > 0 ? std::min(replicas.max, room) : room),
          .min_efficiency = efficiency_floor,
          .horizon = kHorizon};
}

std::string rate(double goodput) { return formatSeriesValue(protocol::series::kGoodput, goodput); }

}  // namespace

NodeChoice::NodeChoice(const protocol::AutoReplicas& replicas, double efficiency_floor,
                       const NodeRange& range, int replicas_per_node)
    : range_(range),
      replicas_per_node_(replicas_per_node),
      chooser_(limitsOf(replicas, efficiency_floor, range.most * replicas_per_node)) {}

std::optional<NodeChoice::More> NodeChoice::consider(const protocol::Model& model,
                                                     const goodput::RunContext& at, int nodes,
                                                     const Idle& idle, double now) {
  if (nodes >= range_.most || now < rests_until_) return std::nullopt;
  protocol::Model wide = model;  // its devices are those of the nodes that are here
  wide.devices = std::max(run::counted_devices(model) / nodes, replicas_per_node_) * range_.most;
  const auto goodput = [&](int replicas) {
    const auto best = run::predict(wide, replicas, nodesFor(replicas, replicas_per_node_));
    return best ? best->goodput : 0;
  };
  goodput::RunContext moved = at;
  moved.pause = kChange;
  moved.judged = false;  // a node that was waited for is not given back at once
  const goodput::ReplicaDecision decision = chooser_.decide(goodput, moved);
  const int needed = nodesFor(decision.replicas, replicas_per_node_);
  if (needed <= nodes) return std::nullopt;  // there the supervisor chooses
  const int granted = std::min(needed, nodes + idle());
  const int replicas = std::min(decision.replicas, granted * replicas_per_node_);
  const double present = goodput(at.replicas), wider = goodput(replicas);
  const bool pays = wider * (decision.horizon - kChange) > (1 + kMargin) * present * decision.horizon;
  if (granted <= nodes || !pays) {
    rests_until_ = now + kAskAgain;
    return std::nullopt;
  }
  return More{granted, say("auto: on to {}, for {}: predicted goodput {}, here {}", plural(granted, "node"),
                           plural(replicas, "replica"), rate(wider), rate(present))};
}

}  // namespace batchscope::cli::slurm
