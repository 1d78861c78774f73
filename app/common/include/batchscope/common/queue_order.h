// SPDX-License-Identifier: Apache-2.0
/// \file
/// A person moves runs in the queue, but the queue is ordered by priorities: a larger one goes first, and
/// among equals the run that was submitted first. So the new order needs priorities that fall along it,
/// strictly where the next run was submitted earlier. Of all such priorities these are the ones that change
/// least in sum, where the change of a run that was not moved counts twice. They are found by dynamic
/// programming over (place, priority), in places * 21 steps.
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
  bool isMoved = false;  ///< by a person
};

/// A new priority of a job.
struct PriorityChange {
  std::string run = {};                                    ///< its id
  int before = 0;                                          ///< as it is
  int after = 0;                                           ///< as it becomes
  bool operator==(const PriorityChange&) const = default;  ///< the same
};

/// Returns priorities that give the queue this order; none where there are not enough of them.
std::optional<std::vector<int>> prioritiesFor(const std::vector<QueuePlace>& order);

/// Returns the changes that put the moved jobs together before row `row` of `queue`, the present order, or
/// last with row = its length. Throws Error(conflict) where the new order needs more priorities than there
/// are.
std::vector<PriorityChange> movedTo(const std::vector<QueuePlace>& queue, std::size_t row);

}  // namespace batchscope::common
