// SPDX-License-Identifier: Apache-2.0
//
// One command for several nodes, where no srun starts agents: it starts a command for each node, by ssh, and
// is to the supervisor what one srun is.
#pragma once

#include <string>
#include <vector>

#include "batchscope/protocol/node_name.h"

namespace batchscope::run {

// Returns the command that starts a node's agent: `by HOST PROGRAM serve --name NODE`, `by` by words, empty:
// ssh. `program`: batchscope-node, as the node has it.
std::vector<std::string> serve_command(const protocol::NodeHost& node, const std::vector<std::string>& by,
                                       const std::string& program);

// Starts serve_command() for each of them. Copies standard input to all of them, and
// their output to its own in whole lines; ends when all have ended. Returns 0, or the exit code of the first
// that failed, and says on standard error which did. Throws Error(not_found | io) where `by` cannot be
// started.
int serve_on_each(const std::vector<protocol::NodeHost>& nodes, const std::vector<std::string>& by,
                  const std::string& program);

}  // namespace batchscope::run
