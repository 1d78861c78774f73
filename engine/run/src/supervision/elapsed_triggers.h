// SPDX-License-Identifier: Apache-2.0
//
// Scripted events at a time of the run. Those at a step or an epoch are for the replicas to notice, who know
// it at once.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "batchscope/protocol/run_spec.h"

namespace batchscope::run {

class ElapsedTriggers {
 public:
  explicit ElapsedTriggers(std::vector<protocol::Trigger> triggers) : pending_(std::move(triggers)) {
    std::erase_if(pending_,
                  [](const auto& trigger) { return trigger.when != protocol::Trigger::When::elapsed; });
  }

  // Those up to this time (seconds of the run) were an earlier supervisor's.
  void skip(double elapsed) {
    std::erase_if(pending_, [&](const auto& trigger) { return trigger.at <= elapsed; });
  }

  // One that is due, each once.
  std::optional<protocol::Trigger> take_due(double elapsed) {
    const auto due = std::find_if(pending_.begin(), pending_.end(),
                                  [&](const auto& trigger) { return trigger.at <= elapsed; });
    if (due == pending_.end()) return std::nullopt;
    const protocol::Trigger trigger = *due;
    pending_.erase(due);
    return trigger;
  }

 private:
  std::vector<protocol::Trigger> pending_;
};

}  // namespace batchscope::run
