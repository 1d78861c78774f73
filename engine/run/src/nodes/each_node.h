// SPDX-License-Identifier: Apache-2.0
//
// One command for several nodes, where no srun starts agents: it starts a command for each node, by ssh, and
// is to the supervisor what one srun is.
#pragma once

#include <string>
#include <vector>

namespace batchscope::run {

// "n2", or "n2=person@10.0.0.3" where the host is called otherwise than the node.
struct NodeHost {
  std::string node, host;
};
// Throws Error(usage) quoting what is not one.
NodeHost decode_node_host(const std::string& text);

// Starts `by HOST PROGRAM serve --name NODE` for each of them. Copies standard input to all of them, and
// their output to its own in whole lines; ends when all have ended. Returns 0, or the exit code of the first
// that failed, and says on standard error which did. Throws Error(not_found | io) where `by` cannot be
// started.
int serve_on_each(const std::vector<NodeHost>& nodes, const std::vector<std::string>& by,
                  const std::string& program);

}  // namespace batchscope::run
