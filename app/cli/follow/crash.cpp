// SPDX-License-Identifier: Apache-2.0
#include "follow/crash.h"

#include <algorithm>
#include <cstdio>

#include "batchscope/protocol/paths.h"
#include "batchscope/run/log_failure.h"
#include "files/log_tail.h"
#include "text/format.h"

namespace batchscope::cli {
namespace {

constexpr std::int64_t kSearched = 64 << 10;  // bytes at the end of a log
constexpr std::size_t kMostLines = 20;

}  // namespace

std::optional<Crash> lastCrash(const std::vector<storage::Generation>& generations) {
  Crash crash;
  for (auto generation = generations.rbegin(); generation != generations.rend(); ++generation)
    if (std::sscanf(generation->outcome.c_str(), "crashed: rank %d", &crash.rank) == 1) {
      crash.generation = generation->number;
      return crash;
    }
  return std::nullopt;
}

std::string ownFrames(const std::string& run, const Crash& crash) {
  LogTail tail(protocol::run_paths(run).log_file(crash.generation, crash.rank));
  tail.skipTo(kSearched);
  std::string log;
  tail.read([&](const std::string& line) { log += line + '\n'; });
  return printable_lines(run::own_frames(log + tail.rest(), kMostLines));
}

}  // namespace batchscope::cli
