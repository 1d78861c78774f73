// SPDX-License-Identifier: Apache-2.0
#include "devices/node_placement.h"

#include <fmt/format.h>

#include <algorithm>

#include "batchscope/protocol/error.h"
#include "words.h"

namespace batchscope::run {
namespace {

// Returns the leases of one node's devices, by the names that it gives them.
std::vector<storage::Lease> leases_of(const std::string& prefix, const std::vector<storage::Lease>& leases) {
  std::vector<storage::Lease> own;
  for (const storage::Lease& lease : leases)
    if (lease.device.starts_with(prefix))
      own.push_back({lease.device.substr(prefix.size()), lease.run, lease.name, lease.queued});
  return own;
}

// One more node's share.
void append(Placement& whole, const std::string& node, const Placement& share) {
  for (Place place : share.places) {
    place.node = node;
    whole.places.push_back(place);
  }
  for (const std::string& device : share.devices) whole.devices.push_back(node + "/" + device);
  if (share.visible_gpus) whole.visible_elsewhere[node] = *share.visible_gpus;
  if (!share.warning.empty())
    whole.warning += (whole.warning.empty() ? "" : "; ") + ("on node " + node + ": " + share.warning);
}

// Replicas reduce in one group: where some have no GPU to themselves, none uses NCCL.
void agree_on_backend(Placement& placement) {
  const auto differs = [&](const Place& place) { return place.backend != placement.places.front().backend; };
  if (std::none_of(placement.places.begin(), placement.places.end(), differs)) return;
  for (Place& place : placement.places) place.backend = "gloo";
}

}  // namespace

Placement place(const protocol::RunSpec& spec, const Allocation& allocation, const Machine& machine,
                const Nodes* nodes, const std::vector<storage::Lease>& of_others,
                const std::vector<std::string>& own) {
  if (!nodes || !allocation.devices.empty() || allocation.replicas <= nodes->replicas_per_node)
    return place(spec, allocation, machine, of_others, own);
  const int all = 1 + static_cast<int>(nodes->others.size());
  if (allocation.replicas > nodes->most_replicas())
    throw Error(
        ErrorKind::conflict,
        fmt::format("{} on {} {} with {} each: at most {}", replica_count_text(allocation.replicas), all,
                    all == 1 ? "node" : "nodes", nodes->replicas_per_node, nodes->most_replicas()));
  Placement placement = place(spec, nodes->replicas_per_node, machine, of_others);
  int left = allocation.replicas - nodes->replicas_per_node;
  for (const Node& node : nodes->others) {
    if (left <= 0) break;
    const int share = std::min(left, nodes->replicas_per_node);
    try {
      append(placement, node.name, place(spec, share, node.machine, leases_of(node.name + "/", of_others)));
    } catch (const Error& error) {
      throw Error(error.kind(), "node " + node.name + ": " + error.what());
    }
    left -= share;
  }
  agree_on_backend(placement);
  return placement;
}

}  // namespace batchscope::run
