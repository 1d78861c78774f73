// SPDX-License-Identifier: Apache-2.0
//
// The supervisor's side of the other nodes: it has their agents started, holds a line to each, and knows from
// it whether the node is there. A node whose line closes, or that is silent, is gone for good.
#pragma once

#include <QSocketNotifier>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "devices/node_placement.h"
#include "launch/launcher.h"
#include "nodes/frame_socket.h"
#include "nodes/messages.h"
#include "nodes/node_command.h"

namespace batchscope::run {

class NodeAgents {
 public:
  // `program`: what replicas will be; `telemetry`: where they are heard.
  NodeAgents(NodePlan plan, ReplicaOrder program, std::filesystem::path telemetry);
  ~NodeAgents();

  std::function<void(const std::string& level, const std::string& text)> on_news;
  std::function<void(const std::string& node)> on_lost;

  // Starts the agents, and calls `then` from the event loop when each is ready or has been waited for long
  // enough. With one node: at once. Throws Error where the command cannot be started.
  void prepare(std::function<void()> then);
  // A replica said that the program can be a fork server.
  void offered();

  bool several() const { return plan_.nodes > 1; }  // as planned
  // Returns whether some of the planned nodes did not come or have gone.
  bool nodes_missing() const { return static_cast<int>(nodes().size()) < plan_.nodes - 1; }
  const NodePlan& plan() const { return plan_; }
  // Returns the nodes that are there, by name.
  std::vector<Node> nodes() const;
  // The address of a node, as the others see it; of this machine where the name is empty.
  std::string address(const std::string& node) const;

  bool is_there(const std::string& node) const;
  // Seconds to add to what its monotonic clock says, for this machine's.
  double clock_offset(const std::string& node) const;

  // A stand-in of a replica there: its process id. Throws Error(conflict) where there is no such node.
  pid_t launch(const ReplicaOrder& order);

  // Closes their lines, at which they end, and waits for the command for a moment. Nothing can be asked
  // afterwards.
  void dismiss();

  // This child of ours is gone, as waitpid says. True where it was the command.
  bool take_exited(pid_t pid, int status);

 private:
  struct Peer;

  bool complete() const { return static_cast<int>(peers_.size()) == plan_.nodes - 1; }
  void read_output();
  void take_line(const std::string& line);
  void greet(Peer& peer);
  void take(Peer& peer, const Frame& frame);
  void lost(Peer& peer, const std::string& why);
  void look_for_silence();
  void settle_if_ready();
  void settle();

  const NodePlan plan_;
  const ReplicaOrder program_;
  const std::filesystem::path telemetry_;
  const std::string token_;
  std::unique_ptr<NodeCommand> command_;
  std::unique_ptr<QSocketNotifier> output_;
  protocol::LineSplitter lines_;
  std::vector<std::unique_ptr<Peer>> peers_;  // by name; those that are gone as well
  QTimer patience_, silence_;
  std::function<void()> then_;
};

}  // namespace batchscope::run
