// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "batchscope/protocol/node_name.h"
#include "batchscope/run/pool.h"

namespace batchscope::run {

Machine with_nodes(Machine machine, const std::vector<protocol::PoolNode>& nodes) {
  for (const protocol::PoolNode& node : nodes) {
    if (!node.there) continue;
    for (const std::string& core : node.cores) machine.cores.push_back(node.name + "/" + core);
    for (const std::string& gpu : node.gpus) machine.gpus.push_back(node.name + "/" + gpu);
  }
  return machine;
}

std::vector<protocol::PoolNode> pool_nodes(storage::Catalogue& catalogue) {
  const auto hosts = protocol::parse_node_hosts(catalogue.pool_settings().agents);
  if (hosts.empty()) return {};
  const std::vector<protocol::PoolNode> seen = catalogue.pool_nodes();
  std::vector<protocol::PoolNode> nodes;
  for (const protocol::NodeHost& host : hosts) {
    const auto found = std::ranges::find(seen, host.node, &protocol::PoolNode::name);
    nodes.push_back(found == seen.end() ? protocol::PoolNode{host.node} : *found);
  }
  return nodes;
}

Machine pool_machine(storage::Catalogue& catalogue) {
  return with_nodes(Machine::here(), pool_nodes(catalogue));
}

}  // namespace batchscope::run
