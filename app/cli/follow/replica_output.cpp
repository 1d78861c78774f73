// SPDX-License-Identifier: Apache-2.0
#include "follow/replica_output.h"

#include "text/format.h"
#include "text/program_text.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

// Bytes.
constexpr std::int64_t kMostAtOnce = 4 << 20;
constexpr std::int64_t kMostOnTerminal = 256 << 10;  // more than this at once is a flood
constexpr std::int64_t kShownOfAFlood = 16 << 10;

}  // namespace

OutputPosition endOfOutput(const std::string& run) {
  OutputPosition end;
  for (const auto& [name, path] : listLogs(protocol::run_paths(run).logs))
    if (name.rank == 0) end = {name.generation, LogTail(path).unread()};
  return end;
}

ReplicaOutput::ReplicaOutput(const std::string& run, OutputPosition from, Flood flood)
    : run_(run), from_(from), flood_(flood) {}

std::string ReplicaOutput::read() {
  std::string text;
  const auto add = [&](const std::string& line) { text += shownLine(line) + '\n'; };
  hasGrown_ = false;
  if (!tail_) openNext();
  while (tail_) {
    if (flood_ == Flood::isLeftOut && tail_->unread() > kMostOnTerminal)
      add(say("[{} of output left out; all of it: batchscope logs {}]",
              formatBytes(tail_->skipTo(kShownOfAFlood)), run_));
    hasGrown_ = tail_->read(add, kMostAtOnce);
    const std::string rest = tail_->rest();
    if (hasGrown_ || !openNext()) break;
    if (!rest.empty()) add(rest);
  }
  return text;
}

std::string ReplicaOutput::unfinished() const { return tail_ ? shownLine(tail_->rest()) : ""; }

// Goes on with the log of the next generation, where there is one.
bool ReplicaOutput::openNext() {
  const int first = tail_ ? generation_ + 1 : from_.generation;
  for (const auto& [name, path] : listLogs(protocol::run_paths(run_).logs)) {
    if (name.rank != 0 || name.generation < first) continue;
    generation_ = name.generation;
    tail_.emplace(path, generation_ == from_.generation ? from_.offset : 0);
    return true;
  }
  return false;
}

}  // namespace batchscope::cli
