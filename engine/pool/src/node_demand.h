// SPDX-License-Identifier: Apache-2.0
//
// How many nodes the pool would like to have of a command that brings some (`pool --nodes-from`).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "world.h"

namespace batchscope::pool {

// Returns the number of nodes that would be worth having. 0: no run needs a device. Else enough for the
// devices that are advised (policy/prices.h) and, where devices have no price, for the least replicas of all
// runs, beside what this machine gives. `advised`: 0 where there was no advice. `of_node`: devices of a node;
// 0: not known, then it is one node, which will tell.
int nodes_worth_having(const World& world, int advised, int of_node);

// Returns the nodes on which runs have devices or are about to get some. `targets`: devices of runs that have
// been sent there.
std::set<std::string> nodes_in_use(const World& world,
                                   const std::map<std::string, std::vector<std::string>>& targets);

// The number of nodes asked for follows what they are worth: up at once, and down when they have been worth
// less for the patience. So a node is kept for the next run, and one that waits in a queue keeps its place.
class NodeDemand {
 public:
  // s. The demand for nodes that nobody needs at all ends after five minutes at the latest.
  explicit NodeDemand(double patience) : patience_(patience) {}

  // `present`: nodes that are there; at first they count as asked for. `now`: s, monotonic.
  int update(const World& world, int advised, int present, double now);

 private:
  const double patience_;
  int of_node_ = 0;  // devices of the largest node seen
  std::optional<int> wanted_;
  int highest_lower_ = 0;  // of what they have been worth since `lower_since_`
  double lower_since_ = 0;
};

}  // namespace batchscope::pool
