// SPDX-License-Identifier: Apache-2.0
//
// The times at which the pool decides. A round, in which everybody may be moved, follows each change, at
// least five seconds, or a turn where that is shorter, after the one before; for a change that a person waits
// for at once. While somebody waits, the end of a turn is a change, too. Devices that are free in between are
// given away at once.
#pragma once

#include <optional>
#include <string>

#include "changes.h"
#include "plan.h"

namespace batchscope::pool {

struct Occasion {
  Scope scope;
  std::string cause;
};

class Rounds {
 public:
  // Has a round come for this cause, or for one that is newer by then.
  void ask_for(const std::string& cause) { due_ = cause; }

  // Returns the decision that is due, if any is. `now`: s, monotonic.
  std::optional<Occasion> next(const World& world, const Change& change, double now);

 private:
  std::string due_;  // the cause of the next round; empty: none is due
  double last_ = -1e9;
};

}  // namespace batchscope::pool
