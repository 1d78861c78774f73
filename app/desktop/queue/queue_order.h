// SPDX-License-Identifier: GPL-3.0-or-later
//
// A person drags runs into an order; the queue has priorities: larger goes first, and of equals whoever was
// submitted first. So the order asked for is one of the priorities that fall along it, strictly where the
// next one was submitted earlier. Of those the ones that change least in sum, where a run that was not moved
// counts twice; found by dynamic programming over (place, priority), in places * 21 steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchscope::desktop {

struct QueuePlace {
  std::string run;
  int priority = 0;      // as it is
  double submitted = 0;  // s since 1970
  bool isMoved = false;
};

// The priorities with which the queue has this order; none where there are not enough of them.
std::optional<std::vector<int>> prioritiesFor(const std::vector<QueuePlace>& order);

}  // namespace batchscope::desktop
