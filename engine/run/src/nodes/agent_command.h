// SPDX-License-Identifier: Apache-2.0
//
// A command that starts agents of other nodes: it is told their secret, and what it prints are their offers.
#pragma once

#include <sys/types.h>

#include <QSocketNotifier>
#include <functional>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/node_name.h"
#include "nodes/messages.h"
#include "nodes/node_command.h"

namespace batchscope::run {

std::string agent_token();  // a new secret of agents

class AgentCommand {
 public:
  // Starts it. `given_by`: what names the command, for errors. Throws Error(not_found | io) naming both.
  AgentCommand(const std::vector<std::string>& command, const std::string& given_by, const Welcome& welcome);
  // Starts the one of this node, as `batchscope pool --agents-by` says it; empty: by ssh. Throws the same.
  AgentCommand(const protocol::NodeHost& node, const std::string& by, const Welcome& welcome);

  // Called from the event loop. An Error that it throws becomes trouble.
  std::function<void(NodeOffer offer)> on_offer;
  // The command printed something else, or an offer that is not taken.
  std::function<void(const std::string& sentence)> on_trouble;

  pid_t pid() const { return command_.pid(); }

 private:
  void read_output();

  NodeCommand command_;
  QSocketNotifier output_;
  protocol::LineSplitter lines_;
};

}  // namespace batchscope::run
