// SPDX-License-Identifier: Apache-2.0
#include <QByteArray>
#include <algorithm>
#include <limits>

#include "batchscope/protocol/node_name.h"
#include "batchscope/run/pool.h"

namespace batchscope::run {
namespace {

constexpr double kUsualPatience = 300;  // s

}  // namespace

Machine pool_machine(const protocol::PoolSettings& settings, const std::vector<protocol::PoolNode>& nodes) {
  Machine machine = settings.here ? Machine::here() : Machine();
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
  return pool_machine(catalogue.pool_settings(), pool_nodes(catalogue));
}

double idle_node_patience() {
  const QByteArray text = qgetenv("BATCHSCOPE_IDLE_NODES");
  if (text == "keep") return std::numeric_limits<double>::infinity();
  bool is_number = false;
  const double seconds = text.toDouble(&is_number);
  return is_number && seconds >= 0 ? seconds : kUsualPatience;
}

}  // namespace batchscope::run
