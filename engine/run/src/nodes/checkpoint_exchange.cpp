// SPDX-License-Identifier: Apache-2.0
#include "nodes/checkpoint_exchange.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "batchscope/protocol/checkpoint_writer.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/telemetry.h"

namespace batchscope::run {

namespace fs = std::filesystem;
using namespace protocol;

CheckpointExchange::CheckpointExchange(fs::path folder, const std::map<std::string, std::string>& unloadable)
    : folder_(std::move(folder)) {
  const auto newest = newest_good_checkpoint(folder_, nullptr, {}, unloadable);
  for (const fs::path& checkpoint : list_checkpoints(folder_)) {
    if (checkpoint == newest) break;
    passed_over_.insert(checkpoint);
    offer_.later.push_back(checkpoint.filename().string());
  }
  if (!newest) return;
  offer_.name = newest->filename().string();
  offer_.manifest_crc32 = file_crc32(*newest / kManifestFile);
}

void CheckpointExchange::send(const std::function<void(FrameKind, std::string_view)>& send) const {
  CheckpointSender sender(folder_ / offer_.name);
  send(FrameKind::checkpoint, sender.announcement());
  for (std::string bytes = sender.next(); !bytes.empty(); bytes = sender.next())
    send(FrameKind::state, bytes);
}

void CheckpointExchange::take(const Frame& frame) try {
  if (frame.kind == FrameKind::checkpoint) {
    receiver_.emplace(folder_, frame.bytes, true);
  } else if (frame.kind == FrameKind::spoilt) {
    throw Error(ErrorKind::io, frame.bytes);
  } else if (receiver_ && receiver_->take(frame.bytes)) {
    kept_ = receiver_->name();
    receiver_.reset();
  }
} catch (const Error& error) {
  trouble_ = error.what();
  receiver_.reset();
}

void CheckpointExchange::tidy() const try {
  remove_old_checkpoints(folder_, passed_over_);
} catch (const Error&) {
  // The next one tries again.
}

std::string CheckpointExchange::told(std::string_view line) {
  const Message message = decode(line);
  const auto* const written = std::get_if<CheckpointWritten>(&message);
  if (!written) throw Error(ErrorKind::usage, "a frame that tells of no checkpoint");
  std::string why = std::exchange(trouble_, {});
  if (std::exchange(kept_, {}) == written->name)
    return (std::exchange(failing_, false)
                ? encode(Notice{"info", "checkpoints can be handed over again", written->step})
                : "") +
           std::string(line);
  if (why.empty()) why = "it did not come";
  const bool periodic = written->reason == "periodic";
  if (std::exchange(failing_, true) && periodic) return {};
  return encode(Notice{
      periodic ? "warning" : "error",
      fmt::format("{} was written on its node and could not be handed over, so it does not count: {}{}",
                  written->name, why,
                  periodic ? "; training goes on, and the next one is tried as planned" : ""),
      written->step});
}

}  // namespace batchscope::run
