// SPDX-License-Identifier: Apache-2.0
//
// A line to the agent of one node. While it stands and beats come, the node is there; once lost, it is lost
// for good.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "batchscope/protocol/telemetry.h"
#include "batchscope/protocol/time_outs.h"
#include "nodes/frame_socket.h"
#include "nodes/messages.h"

namespace batchscope::run {

class AgentLine {
 public:
  // Connects, with TLS where it is offered, and says the token. Throws Error(failure) where this machine has
  // no TLS. Whatever follows is called from the event loop. `silence`: after which the node is gone.
  AgentLine(NodeOffer offer, std::string token,
            std::chrono::milliseconds silence = protocol::time_out::kNodeSilence);

  std::function<void()> on_connected;
  std::function<void()> on_ready;  // to launch replicas, once it knows the program
  std::function<void(const std::string& level, const std::string& text)> on_news;
  std::function<void(const std::string& why)> on_lost;  // once; the owner may destroy this later, not within

  const NodeOffer& offer() const { return offer_; }
  // The address of this machine as the node sees it.
  std::string own_address() const;
  bool stands() const { return !lost_; }
  bool ready() const { return ready_ && !lost_; }
  // Once it is ready: whether its node sees the run's folder of checkpoints.
  bool sees_folder() const { return sees_folder_; }
  // Seconds to add to what the node's monotonic clock says, for this machine's; 0 before the first beat.
  double clock_offset() const;

  // Returns what its node told last, once.
  std::optional<NodeUse> take_use() { return std::exchange(use_, std::nullopt); }

  void send(FrameKind kind, std::string_view bytes = {}) { line_.send(kind, bytes); }
  // Looks whether the node has been silent for too long.
  void check(double now = protocol::monotonic_seconds());

 private:
  void take(const Frame& frame);
  void lose(const std::string& why);

  const NodeOffer offer_;
  const std::chrono::milliseconds silence_;
  FrameSocket line_;
  bool ready_ = false, lost_ = false, sees_folder_ = false;
  std::optional<NodeUse> use_;
  double heard_ = protocol::monotonic_seconds();
  double clock_offset_;  // s; the beat that came fastest tells it best
};

}  // namespace batchscope::run
