// SPDX-License-Identifier: Apache-2.0
//
// The plan of further nodes in the environment, and the command that starts their agents.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace batchscope::run {

// Returns the words of a command that are separated by blanks; nothing else has a meaning, as no shell reads
// it.
std::vector<std::string> command_words(const std::string& text);

inline constexpr char kNodeCommand[] = "BATCHSCOPE_NODE_COMMAND";

inline constexpr char kNodeTls[] = "BATCHSCOPE_NODE_TLS";

// BATCHSCOPE_NODES, BATCHSCOPE_NODE_COMMAND, BATCHSCOPE_REPLICAS_PER_NODE and BATCHSCOPE_NODE_TLS.
struct NodePlan {
  int nodes = 1;                     // with this one; 1: there is nothing else here
  std::vector<std::string> command;  // and its arguments
  int replicas_per_node = 0;         // 0: not said
  bool tls = false;                  // lines to all agents are encrypted

  bool several() const { return nodes > 1; }

  // `tls`: the run asks for it, whatever the variable says. Throws Error(usage) naming the variable, its
  // value and what was expected.
  static NodePlan from_environment(bool tls);
};

// The command as a child in a session of its own, which nothing tells of this process's end but the end of
// its standard input.
class NodeCommand {
 public:
  // `given_by`: what names the command, for errors. Throws Error(not_found | io) naming both.
  NodeCommand(const std::vector<std::string>& command, const std::string& given_by);
  ~NodeCommand();
  NodeCommand(const NodeCommand&) = delete;
  NodeCommand& operator=(const NodeCommand&) = delete;

  pid_t pid() const { return pid_; }
  int input() const { return input_; }  // for writing
  void close_input();
  int output() const { return output_; }  // for reading, does not block

 private:
  pid_t pid_ = 0;
  int input_ = -1, output_ = -1;
};

}  // namespace batchscope::run
