// SPDX-License-Identifier: Apache-2.0
/// \file
/// A person moves runs in the queue; the queue has priorities: larger goes first, and of equals whoever was
/// submitted first. So the order asked for is one of the priorities that fall along it, strictly where the
/// next one was submitted earlier. Of those the ones that change least in sum, where a run that was not moved
/// counts twice; found by dynamic programming over (place, priority), in places * 21 steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchscope::common {

/// A job in the order of the queue.
struct QueuePlace {
  std::string run = {};  ///< its id
  int priority = 0;      ///< as it is
  double submitted = 0;  ///< s since 1970
  bool isMoved = false;  ///< a person moves it
};

/// Another priority of a job.
struct PriorityChange {
  std::string run = {};                                    ///< its id
  int before = 0;                                          ///< as it is
  int after = 0;                                           ///< as it becomes
  bool operator==(const PriorityChange&) const = default;  ///< the same
};

/// Returns the priorities with which the queue has this order; none where there are not enough of them.
std::optional<std::vector<int>> prioritiesFor(const std::vector<QueuePlace>& order);

/// Returns what changes where the moved jobs of the queue, which is as it is now, stand together before its
/// row `row`, or behind all with row = its length. Throws Error(conflict) where the order needs more
/// priorities than there are.
std::vector<PriorityChange> movedTo(const std::vector<QueuePlace>& queue, std::size_t row);

}  // namespace batchscope::common
