// SPDX-License-Identifier: Apache-2.0
#include "batchscope/policy/cluster.h"

#include <algorithm>
#include <functional>

namespace batchscope::policy {

int replicas(const Placement& placement) {
  int sum = 0;
  for (const Share& share : placement) sum += share.devices;
  return sum;
}

Cluster uniform_cluster(int nodes, int devices) {
  return Cluster(static_cast<std::size_t>(std::max(nodes, 0)), Node{devices, 0});
}

int devices(const Cluster& cluster, int kind) {
  int sum = 0;
  for (const Node& node : cluster)
    if (node.kind == kind) sum += node.devices;
  return sum;
}

int kinds(const Cluster& cluster) {
  int most = 0;
  for (const Node& node : cluster) most = std::max(most, node.kind);
  return most + 1;
}

int fewest_nodes(const Cluster& cluster, int kind, int devices) {
  std::vector<int> sizes;
  for (const Node& node : cluster)
    if (node.kind == kind) sizes.push_back(node.devices);
  if (!std::is_sorted(sizes.begin(), sizes.end(), std::greater<>()))  // as they most often are
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
  int nodes = 0;
  for (const int size : sizes) {
    if (devices <= 0) break;
    devices -= size;
    ++nodes;
  }
  return devices > 0 ? nodes + 1 : nodes;
}

}  // namespace batchscope::policy
