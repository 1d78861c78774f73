// SPDX-License-Identifier: Apache-2.0
//
// The supervisor's side of the other nodes: it has their agents started, holds a line to each, and knows from
// it whether the node is there. Agents of planned nodes are started at the beginning, by one command; those
// of nodes that the pool gives to the run follow, each by a command of its own. A node whose line closes, or
// that is silent, is gone for good, unless its agent is started again.
#pragma once

#include <QTimer>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/protocol/node_name.h"
#include "batchscope/protocol/time_outs.h"
#include "devices/node_placement.h"
#include "launch/launcher.h"
#include "nodes/agent_command.h"
#include "nodes/agent_line.h"
#include "nodes/folder_mark.h"
#include "nodes/node_command.h"

namespace batchscope::run {

// How long a supervisor waits for what.
struct NodeTimes {
  std::chrono::milliseconds start = protocol::time_out::kNodeStart;      // for agents to be ready
  std::chrono::milliseconds silence = protocol::time_out::kNodeSilence;  // after which a node is gone
  std::chrono::milliseconds look = std::chrono::seconds(1);              // between looks for silent ones
  std::chrono::milliseconds goodbye = protocol::time_out::kGoodbye;      // for commands to end
};

class NodeAgents {
 public:
  // `program`: what replicas will be; `telemetry`: where they are heard; `checkpoints`: the run's folder.
  NodeAgents(NodePlan plan, ReplicaOrder program, std::filesystem::path telemetry,
             std::filesystem::path checkpoints, const NodeTimes& times = {});
  ~NodeAgents();

  std::function<void(const std::string& level, const std::string& text)> on_news;
  std::function<void(const std::string& node)> on_lost;

  // Starts the agents of the planned nodes, and calls `then` from the event loop when each is ready or has
  // been waited for long enough. With one node: at once. Throws Error where the command cannot be started.
  void prepare(std::function<void()> then);
  // Does the same for these nodes, as far as they have no agent, by the pool's command. `tls`: their lines
  // are encrypted, as those of a plan that asks for it are anyway.
  void fetch(const std::vector<protocol::NodeHost>& nodes, const std::string& by, bool tls,
             std::function<void()> then);
  // Dismisses the agents that were fetched, but for those of these nodes.
  void keep(const std::set<std::string>& nodes);
  // A replica said that the program can be a fork server.
  void offered();

  // Returns whether some of the planned nodes did not come or have gone.
  bool nodes_missing() const { return static_cast<int>(nodes().size()) < plan_.nodes - 1; }
  const NodePlan& plan() const { return plan_; }
  // Returns the nodes that are there, by name.
  std::vector<Node> nodes() const;
  // The address of a node, as the others see it; of this machine where the name is empty.
  std::string address(const std::string& node) const;

  bool is_there(const std::string& node) const;  // though its agent may not be ready yet
  bool is_ready(const std::string& node) const;
  // Seconds to add to what its monotonic clock says, for this machine's.
  double clock_offset(const std::string& node) const;

  // Returns what replicas of this generation have used of their nodes since the last call, by series: of some
  // nodes, which take turns where there are many, so that what is recorded does not grow with their number.
  std::vector<std::pair<std::string, double>> take_use(int generation);

  // A stand-in of a replica there: its process id. Throws Error(conflict) where there is no such node.
  pid_t launch(const ReplicaOrder& order);

  // Closes their lines, at which they end, and waits for the commands for a moment. Nothing can be asked
  // afterwards.
  void dismiss();

  // This child of ours is gone, as waitpid says. True where it was such a command.
  bool take_exited(pid_t pid, int status);

 private:
  // A command, and how many agents it has still to start.
  struct Starter {
    std::string node;  // that was fetched; empty: the planned ones
    std::unique_ptr<AgentCommand> command;
    int missing = 0;
    bool tls = false;  // is asked of them
  };

  void start(const std::string& node, std::unique_ptr<AgentCommand> command, int agents, bool tls);
  void take_offer(Starter& starter, NodeOffer offer);
  const AgentLine* line_to(const std::string& node) const;  // that stands; none: null
  bool waits() const;
  void settle_if_ready();
  void settle();

  const NodePlan plan_;
  const ReplicaOrder program_;
  const std::filesystem::path telemetry_, checkpoints_;
  const NodeTimes times_;
  std::optional<FolderMark> mark_;  // of the checkpoints, once there is an agent that looks for it
  const std::string token_;
  bool offered_ = false;
  std::string told_last_;  // the node whose turn it was
  std::vector<std::unique_ptr<Starter>> starters_;
  std::vector<std::unique_ptr<AgentLine>> lines_;  // by name; those that are lost as well
  QTimer patience_, silence_;
  std::vector<std::function<void()>> then_;
  int due_ = 0;  // of these, that are about to be called
};

}  // namespace batchscope::run
