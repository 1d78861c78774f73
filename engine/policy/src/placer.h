// SPDX-License-Identifier: Apache-2.0
//
// Turns numbers of devices into devices. Who keeps its number stays where it is; the others are placed from
// the largest on, each on as few nodes as hold it: on the node that it fills most within one, on whole free
// nodes and such a one beyond. Jobs on several nodes keep out of one another's nodes, where they would share
// the network. Where that fails, what costs least of these is taken:
//     more nodes than needed,
//     the devices that it has at present,
//     the next lower of Sia's counts (powers of two within a node, then whole nodes), which always fit.
// What is left in this way goes, where it lies, to whoever gains most by it.
//
// All of it is also done with nobody staying for its own sake, from the largest job on; where moving jobs
// together in this way costs less than leaving the holes, it is done so. Then room is made on a node for
// those who have lost most by not getting what they wished for there: on the node whose jobs it costs least
// to leave it, as long as that lessens the sum of all costs. Without it a small job may wait for ever beside
// full nodes for its second device.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "batchscope/policy/cluster.h"

namespace batchscope::policy {

struct Wish {
  int kind = 0;
  int devices = 0;     // 0: none
  int least = 0;       // fewer are of no use
  int most = 0;        // more are not allowed, though some be left
  bool fixed = false;  // it keeps what it has
  Placement present = {};
};

// Returns the cost of giving a job these devices.
using PlacementCost = std::function<double(std::size_t job, const Placement& placement)>;

// The wishes fit the cluster by their numbers, the present placements of the fixed ones also by their nodes.
// A job gets more than it wished for only where others could not have it.
std::vector<Placement> place(const Cluster& cluster, std::span<const Wish> wishes, const PlacementCost& cost);

}  // namespace batchscope::policy
