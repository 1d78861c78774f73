// SPDX-License-Identifier: Apache-2.0
//
// The changes of the world from one look to the next, as far as they may change the plan.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "world.h"

namespace batchscope::pool {

struct Change {
  std::string cause;       // in a few words, of the first thing; empty: nothing that matters
  bool is_urgent = false;  // a person waits for it
};

// Returns whether it could have devices and has none, not even some on the way.
bool waits(const Member& member);

class Changes {
 public:
  // Returns what has changed since the last call, at first that the pool began.
  Change since_last(const World& world);
  bool has_looked() const { return settings_.has_value(); }

 private:
  struct Seen {
    Standing standing;
    bool has_devices;
    bool to_be_paused;
    std::int64_t model_step;
    int max_profiled;
    std::string name;
    std::string asked;  // replicas
  };

  std::map<std::string, Seen> seen_;
  std::optional<protocol::PoolSettings> settings_;
  run::Machine machine_;
};

}  // namespace batchscope::pool
