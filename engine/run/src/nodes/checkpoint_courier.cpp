// SPDX-License-Identifier: Apache-2.0
#include "nodes/checkpoint_courier.h"

#include <utility>
#include <variant>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/telemetry.h"
#include "nodes/messages.h"

namespace batchscope::run {
namespace {

// The name of the checkpoint that a line says is written; none: it says something else.
std::optional<std::string> checkpoint_told(const std::string& line) try {
  if (line.find("\"checkpoint\"") == std::string::npos) return std::nullopt;  // cheaper than to read it
  const protocol::Message message = protocol::decode(line);
  const auto* const written = std::get_if<protocol::CheckpointWritten>(&message);
  return written ? std::optional(written->name) : std::nullopt;
} catch (const Error&) {
  return std::nullopt;  // the supervisor says what is wrong with it
}

}  // namespace

CheckpointCourier::CheckpointCourier(FrameSocket& line, std::filesystem::path folder, std::int64_t most)
    : line_(line), folder_(std::move(folder)), most_(most) {}

void CheckpointCourier::take(std::uint32_t connection, std::string_view bytes) {
  try {
    if (bytes.empty()) words_.push_back({connection, {}});
    for (std::string& line : splitters_[connection].feed(bytes))
      words_.push_back({connection, std::move(line += '\n')});
  } catch (const Error&) {
    words_.push_back({connection, std::string(bytes)});  // a line without end is the supervisor's to refuse
  }
  if (bytes.empty()) splitters_.erase(connection);
  go_on();
}

void CheckpointCourier::go_on() {
  while (!words_.empty() && line_.stands() && line_.waiting() < most_) {
    const auto& [connection, bytes] = words_.front();
    if (sender_) {
      send_piece();
    } else if (const auto checkpoint = handed_ ? std::nullopt : checkpoint_told(bytes)) {
      begin(*checkpoint);
    } else {
      line_.send(handed_ ? FrameKind::written : FrameKind::telemetry,
                 encode(TelemetryBytes{connection, bytes}));
      handed_ = false;
      words_.pop_front();
    }
  }
}

void CheckpointCourier::begin(const std::string& checkpoint) try {
  if (!protocol::checkpoint_number(checkpoint))
    throw Error(ErrorKind::usage, "'" + checkpoint + "' is not a name of a checkpoint");
  sender_.emplace(folder_ / checkpoint);
  line_.send(FrameKind::checkpoint, sender_->announcement());
} catch (const Error& error) {
  spoil(error.what());
}

void CheckpointCourier::send_piece() try {
  const std::string bytes = sender_->next();
  if (!bytes.empty()) return line_.send(FrameKind::state, bytes);
  sender_.reset();
  handed_ = true;
} catch (const Error& error) {
  spoil(error.what());
}

void CheckpointCourier::spoil(const std::string& why) {
  sender_.reset();
  handed_ = true;
  line_.send(FrameKind::spoilt, why);
}

}  // namespace batchscope::run
