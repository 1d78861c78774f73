// SPDX-License-Identifier: Apache-2.0
//
// Frames on a line between an agent and whoever has replicas of it (NODES.md): one byte that says what it is,
// four of length, the highest first, and that many bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::run {

enum class FrameKind : unsigned char {
  // to the agent
  hello = 1,  // who connects, and the token; the first frame, and the only one before it is believed
  program,    // from the supervisor: what replicas will be, so that a fork server of it can load
  offered,    // from the supervisor: that program can be a fork server, as a replica of it has said
  order,      // from a stand-in: the replica
  signal,     // from a stand-in: for the replica
  // from the agent
  ready,      // it is settled how the program's first replica is launched
  news,       // for people
  beat,       // to the supervisor, again and again
  output,     // bytes that the replica printed
  telemetry,  // bytes that it told, see telemetry_bytes
  exit,       // how it ended; the last frame
  refused,    // why the line ends, in words; the last frame
  // of checkpoints, where a node does not see the run's folder
  offer,       // from a stand-in, before the order: the newest one
  wanted,      // to a stand-in: whether the node lacks it
  checkpoint,  // either way: one begins
  state,       // either way: bytes of it, see checkpoint_transfer.h
  spoilt,      // to a stand-in: why the one that the next `written` tells of does not come
  written,     // to a stand-in: telemetry that tells of the checkpoint before it
  // to the supervisor
  use,  // of the node by its replicas
};

struct Frame {
  FrameKind kind = FrameKind::hello;
  std::string bytes;
};

// Longest frame of any kind; an order holds a whole environment.
inline constexpr std::size_t kLongestFrame = 8u << 20;
// Longest frame from a sender that is not believed yet.
inline constexpr std::size_t kLongestHello = 4u << 10;

std::string encode(FrameKind kind, std::string_view bytes = {});

// Bytes as they come, cut into frames.
class FrameSplitter {
 public:
  explicit FrameSplitter(std::size_t longest = kLongestFrame) : longest_(longest) {}

  void allow(std::size_t longest) { longest_ = longest; }
  void feed(std::string_view bytes) { rest_ += bytes; }
  // The next complete one. False where there is none yet. Throws Error(usage) for a kind that there is not,
  // and for a length above the limit; nothing behind it can be read.
  bool next(Frame& frame);

 private:
  std::size_t longest_;
  std::string rest_;
};

}  // namespace batchscope::run
