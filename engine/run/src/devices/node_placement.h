// SPDX-License-Identifier: Apache-2.0
//
// Placement over several nodes: each takes the same number of replicas, this one first, and each places its
// share as one machine does (placement.h). What fits on this node alone stays there, as without any others.
#pragma once

#include <string>
#include <vector>

#include "devices/placement.h"

namespace batchscope::run {

// Another node that has an agent of ours. Its devices go by names behind its own: "n2/cuda:0".
struct Node {
  std::string name;
  Machine machine;  // by the names that the node itself gives them
};

struct Nodes {
  int replicas_per_node = 1;  // 0: replicas are on other nodes only where devices there are named
  std::vector<Node> others;   // in the order in which they are used

  int most_replicas() const { return replicas_per_node * (1 + static_cast<int>(others.size())); }
};

// Places as place() does, which it is without nodes. Throws Error(conflict) too for more replicas than the
// nodes take, and for devices that are named on a node that is not there.
Placement place(const protocol::RunSpec& spec, const Allocation& allocation, const Machine& machine,
                const Nodes* nodes, const std::vector<storage::Lease>& of_others,
                const std::vector<std::string>& own = {});

// Returns the devices that are named, to be leased before it is known what the other nodes have. Throws as
// place() does of this node's, and Error(conflict) for others that another run has.
std::vector<std::string> devices_to_lease(const protocol::RunSpec& spec, const Allocation& allocation,
                                          const Machine& machine,
                                          const std::vector<storage::Lease>& of_others,
                                          const std::vector<std::string>& own);

}  // namespace batchscope::run
