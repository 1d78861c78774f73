// SPDX-License-Identifier: Apache-2.0
//
// Scripted events (`--at step=400:checkpoint`), as the replicas evaluate them: each by itself and all alike,
// because what they depend on is the same on every replica between two steps. Which ones have fired is part
// of the checkpoint that they cause, so that they do not fire again in the next generation.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/run_spec.h"

namespace batchscope::replica {

class TriggerList {
 public:
  TriggerList() = default;
  // BATCHSCOPE_TRIGGERS: a JSON array of triggers. Throws Error(usage).
  explicit TriggerList(const std::string& json);

  // The index of the first that is due and has not fired. Elapsed ones are the supervisor's and never due
  // here.
  std::optional<int> due(std::int64_t steps, int finished_epochs, double progress) const;
  void set_fired(int index) { fired_.insert(index); }
  const protocol::Trigger& operator[](int index) const { return triggers_[static_cast<std::size_t>(index)]; }

  protocol::Json state() const;
  // Only those that are still in the list, unchanged.
  void restore(const protocol::Json& json);

 private:
  std::vector<protocol::Trigger> triggers_;
  std::set<int> fired_;
};

TriggerList& triggers();  // this process's

void load_trigger_state();  // makes it, and loads it from the checkpoint

}  // namespace batchscope::replica
