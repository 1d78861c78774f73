// SPDX-License-Identifier: Apache-2.0
/// \file
/// Devices and who has them. A node is a machine's devices of one kind: a machine with GPUs and cores that
/// may both be given away is two nodes. A job has devices of one kind.
#pragma once

#include <vector>

namespace batchscope::policy {

/// Devices of one kind that share a machine.
struct Node {
  int devices = 1;  ///< that may be given away, at least 0
  int kind = 0;     ///< from 0, such as 0: GPUs, 1: cores
};

/// All devices there are; nodes are named by their index here.
using Cluster = std::vector<Node>;

/// Devices of one node.
struct Share {
  int node = 0;                                   ///< index in the cluster
  int devices = 1;                                ///< at least 1
  bool operator==(const Share&) const = default;  ///< the same node and as many
};

/// The devices of a job, a replica each; every node at most once. Empty: none. The order of the nodes is that
/// of the ranks.
using Placement = std::vector<Share>;

/// Returns the number of devices of a placement.
int replicas(const Placement& placement);
/// Returns a cluster of so many nodes with so many devices each, all of kind 0.
Cluster uniform_cluster(int nodes, int devices);
/// Returns the number of devices of a kind.
int devices(const Cluster& cluster, int kind);
/// Returns one more than the largest kind; 1 for an empty cluster.
int kinds(const Cluster& cluster);
/// Returns the fewest nodes of this kind that hold so many devices, the largest ones first. 0 for no devices;
/// one more than there are nodes where all of them hold fewer.
int fewest_nodes(const Cluster& cluster, int kind, int devices);

}  // namespace batchscope::policy
