// SPDX-License-Identifier: Apache-2.0
//
// Launches replicas of this node as they always are, and those of other nodes by their agents.
#pragma once

#include "launch/launcher.h"
#include "nodes/node_agents.h"

namespace batchscope::run {

class NodeLauncher final : public Launcher {
 public:
  NodeLauncher(Launcher& here, NodeAgents& agents) : here_(here), agents_(agents) {}

  std::vector<pid_t> launch(const std::vector<ReplicaOrder>& orders) override;

 private:
  Launcher& here_;
  NodeAgents& agents_;
};

}  // namespace batchscope::run
