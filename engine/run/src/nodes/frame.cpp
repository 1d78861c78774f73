// SPDX-License-Identifier: Apache-2.0
#include "nodes/frame.h"

#include <fmt/format.h>

#include <cstdint>

#include "batchscope/protocol/error.h"

namespace batchscope::run {
namespace {

constexpr std::size_t kHead = 5;

}  // namespace

std::string encode(FrameKind kind, std::string_view bytes) {
  std::string frame(1, static_cast<char>(kind));
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(bytes.size() >> shift & 255);
  return frame.append(bytes);
}

bool FrameSplitter::next(Frame& frame) {
  if (rest_.size() < kHead) return false;
  const auto byte = [this](std::size_t at) { return static_cast<unsigned char>(rest_[at]); };
  if (byte(0) < static_cast<unsigned>(FrameKind::hello) || byte(0) > static_cast<unsigned>(FrameKind::use))
    throw Error(ErrorKind::usage, fmt::format("there is no frame of kind {}", byte(0)));
  std::size_t size = 0;
  for (std::size_t at = 1; at < kHead; ++at) size = size << 8 | byte(at);
  if (size > longest_)
    throw Error(ErrorKind::usage, fmt::format("a frame of {} bytes; at most {} are read", size, longest_));
  if (rest_.size() < kHead + size) return false;
  frame = {static_cast<FrameKind>(byte(0)), rest_.substr(kHead, size)};
  rest_.erase(0, kHead + size);
  return true;
}

}  // namespace batchscope::run
