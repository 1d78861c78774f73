// SPDX-License-Identifier: Apache-2.0
//
// Scripted events that the supervisor lets happen: those at a time of the run, and those at a step, an epoch
// or an iteration of a program that is not on our engine, as soon as it has told of that. The engine's
// replicas notice theirs by themselves, at exactly that step on all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "batchscope/protocol/run_spec.h"

namespace batchscope::run {

class ScriptedEvents {
 public:
  using Trigger = protocol::Trigger;

  // Where a run is, as far as its supervisor knows.
  struct Place {
    double elapsed = 0;      // s of run time
    std::int64_t step = 0;   // optimizer steps done
    int epoch = 0;           // epochs finished
    double progress = 0;     // scale-invariant iterations
    bool on_engine = false;  // all but the time is the replicas' own to notice
    bool has(const Trigger& trigger) const {
      switch (trigger.when) {
        case Trigger::When::elapsed: return elapsed >= trigger.at;
        case Trigger::When::step: return !on_engine && static_cast<double>(step) >= trigger.at;
        case Trigger::When::epoch: return !on_engine && epoch >= trigger.at;
        case Trigger::When::progress: return !on_engine && progress >= trigger.at;
      }
      return false;
    }
  };

  explicit ScriptedEvents(std::vector<Trigger> triggers) : pending_(std::move(triggers)) {}

  // Drops the events up to this place, which were an earlier supervisor's.
  void skip(const Place& place) {
    std::erase_if(pending_, [&](const Trigger& trigger) { return place.has(trigger); });
  }

  // One that is due, each once.
  std::optional<Trigger> take_due(const Place& place) {
    const auto due = std::find_if(pending_.begin(), pending_.end(),
                                  [&](const Trigger& trigger) { return place.has(trigger); });
    if (due == pending_.end()) return std::nullopt;
    const Trigger trigger = *due;
    pending_.erase(due);
    return trigger;
  }

  // Returns the events that wait for a step, an epoch or an iteration.
  std::vector<Trigger> waiting_for_steps() const {
    std::vector<Trigger> waiting;
    std::copy_if(pending_.begin(), pending_.end(), std::back_inserter(waiting),
                 [](const Trigger& trigger) { return trigger.when != Trigger::When::elapsed; });
    return waiting;
  }

 private:
  std::vector<Trigger> pending_;
};

}  // namespace batchscope::run
