// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/node_name.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdlib>
#include <sstream>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {

std::string node_name() {
  if (const char* const slurm = std::getenv("SLURMD_NODENAME"); slurm != nullptr && *slurm != '\0')
    return slurm;
  char name[HOST_NAME_MAX + 1] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

bool valid_node_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '-' || c == '_';
  });
}

NodeHost parse_node_host(const std::string& text) {
  const auto equals = text.find('=');
  NodeHost one{text.substr(0, equals), equals == std::string::npos ? text : text.substr(equals + 1)};
  const bool in_one_word = std::none_of(one.host.begin(), one.host.end(),
                                        [](unsigned char c) { return std::isspace(c) || std::iscntrl(c); });
  if (!valid_node_name(one.node) || one.node.starts_with("-") || one.host.empty() ||
      one.host.starts_with("-") || !in_one_word)
    throw Error(ErrorKind::usage,
                "'" + text + "' is not a node: write NAME, or NAME=HOST where ssh knows it by another name");
  return one;
}

std::vector<NodeHost> parse_node_hosts(const std::string& text) {
  std::vector<NodeHost> nodes;
  std::istringstream entries(text);
  for (std::string entry; std::getline(entries, entry, ',');) {
    NodeHost one = parse_node_host(entry);
    if (std::any_of(nodes.begin(), nodes.end(),
                    [&](const NodeHost& other) { return other.node == one.node; }))
      throw Error(ErrorKind::usage, "node " + one.node + " is named twice: leave one of them out");
    nodes.push_back(std::move(one));
  }
  return nodes;
}

}  // namespace batchscope::protocol
