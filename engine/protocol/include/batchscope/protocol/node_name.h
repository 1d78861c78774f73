// SPDX-License-Identifier: Apache-2.0
/// \file
/// What this machine is called where there are several.
#pragma once

#include <string>
#include <string_view>

namespace batchscope::protocol {

/// Returns Slurm's name of the node (SLURMD_NODENAME) in a job, else the host's name. Does not block.
std::string node_name();

/// Returns whether it can be a node's name: letters, digits, '.', '-' and '_', at most 64.
bool valid_node_name(std::string_view name);

}  // namespace batchscope::protocol
