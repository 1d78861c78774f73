// SPDX-License-Identifier: Apache-2.0
//
// Carries a replica's telemetry to its stand-in, from a node that does not see the run's folder of
// checkpoints. All of it stays in order, and a checkpoint goes before the word that it is written, so that
// whoever hears the word has the checkpoint.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "batchscope/protocol/json.h"
#include "nodes/checkpoint_transfer.h"
#include "nodes/frame_socket.h"

namespace batchscope::run {

class CheckpointCourier {
 public:
  // `line` is borrowed. `folder`: of the node's own checkpoints. `most`: bytes that may wait on the line.
  CheckpointCourier(FrameSocket& line, std::filesystem::path folder, std::int64_t most);

  // Takes telemetry of a connection of the replica's; none: the connection has closed.
  void take(std::uint32_t connection, std::string_view bytes);
  // Sends as much as the line takes for now. To be called again when some of it has left.
  void go_on();
  bool idle() const { return words_.empty(); }  // all is sent

 private:
  // A line, or the end of a connection.
  struct Word {
    std::uint32_t connection;
    std::string bytes;
  };
  void begin(const std::string& checkpoint);
  void send_piece();
  void spoil(const std::string& why);

  FrameSocket& line_;
  const std::filesystem::path folder_;
  const std::int64_t most_;
  std::map<std::uint32_t, protocol::LineSplitter> splitters_;
  std::deque<Word> words_;
  std::optional<CheckpointSender> sender_;  // of the checkpoint that the first word tells of
  bool handed_ = false;                     // it has been sent, or cannot be
};

}  // namespace batchscope::run
