// SPDX-License-Identifier: Apache-2.0
/// \file
/// What machines are called where there are several.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace batchscope::protocol {

/// Returns Slurm's name of the node (SLURMD_NODENAME) in a job, else the host's name. Does not block.
std::string node_name();

/// Returns whether it can be a node's name: letters, digits, '.', '-' and '_', at most 64.
bool valid_node_name(std::string_view name);

/// Another node, and what the command that reaches it (ssh, srun) calls it.
struct NodeHost {
  std::string node;                                  ///< its name
  std::string host;                                  ///< for the command: "n2", "person@10.0.0.3"
  bool operator==(const NodeHost&) const = default;  ///< the same
};

/// Parses "n2", or "n2=person@10.0.0.3" where the host is called otherwise than the node. Throws
/// Error(usage) quoting what is not one.
NodeHost parse_node_host(const std::string& text);

/// Parses several of them, separated by commas; none: an empty text. Throws Error(usage) as
/// parse_node_host(), and for a name that is there twice.
std::vector<NodeHost> parse_node_hosts(const std::string& text);

}  // namespace batchscope::protocol
