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

Machine pool_machine(storage::Catalogue& catalogue) {
  const auto hosts = protocol::parse_node_hosts(catalogue.pool_settings().agents);
  if (hosts.empty()) return Machine::here();
  std::vector<protocol::PoolNode> nodes = catalogue.pool_nodes();
  std::erase_if(nodes, [&](const protocol::PoolNode& node) {
    return std::none_of(hosts.begin(), hosts.end(), [&](const auto& host) { return host.node == node.name; });
  });
  return with_nodes(Machine::here(), nodes);
}

}  // namespace batchscope::run
