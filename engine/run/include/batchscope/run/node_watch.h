// SPDX-License-Identifier: Apache-2.0
/// \file
/// Other machines whose devices the pool gives away (engine/run/NODES.md): which of them are there, and what
/// they have to train on. An agent on each, which has no replicas, says so.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "batchscope/protocol/pool.h"
#include "batchscope/protocol/telemetry.h"

namespace batchscope::run {

/// Holds a line to an agent on each of these nodes, which it starts, and starts again where one is lost. All
/// of it happens on the event loop of the thread that made it.
class NodeWatch {
 public:
  /// `known`: the nodes as they were seen last, which counts until their agents say otherwise.
  explicit NodeWatch(std::vector<protocol::PoolNode> known);
  ~NodeWatch();                                     ///< their agents end
  NodeWatch(const NodeWatch&) = delete;             ///< it has children
  NodeWatch& operator=(const NodeWatch&) = delete;  ///< it has children

  std::function<void()> on_change;  ///< nodes() has changed; called from the event loop

  /// Watches the nodes of these settings from now on. To be called each second: it looks after those that are
  /// lost. Never blocks and never throws; what is wrong with a node is in PoolNode::why. `now`: monotonic s.
  void watch(const protocol::PoolSettings& settings, double now = protocol::monotonic_seconds());

  /// Returns the nodes that are watched, by name; not those of which nothing is known yet.
  std::vector<protocol::PoolNode> nodes() const;
  /// Returns whether there are some of which nothing is known yet.
  bool looks() const;

 private:
  struct Watched;
  void begin(Watched& node, double now);
  void look(Watched& node, double now);
  void leave(Watched& node);
  void see(Watched& node, protocol::PoolNode now);

  std::string agents_, by_;
  bool tls_ = false;
  std::vector<std::unique_ptr<Watched>> watched_;  // by name
  std::vector<int> leaving_;                       // commands that have been told to end
};

}  // namespace batchscope::run
