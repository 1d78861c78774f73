// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/queue_order.h"

#include <array>
#include <cstdlib>
#include <limits>

#include "batchscope/common/say.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/pool.h"

namespace batchscope::common {
namespace {

constexpr int kMost = protocol::kMostPriority, kLevels = 2 * kMost + 1;
constexpr long kImpossible = std::numeric_limits<long>::max();

// A person who drags a run means to move that run, not those that it passes.
long costOf(const QueuePlace& place, int priority) {
  return (place.isMoved ? 1 : 2) * std::labs(priority - place.priority);
}

}  // namespace

std::optional<std::vector<int>> prioritiesFor(const std::vector<QueuePlace>& order) {
  // The best way to a level, which is the priority plus kMost: the least cost of this place and all before
  // it, and the level of the one before with which it is that.
  struct Step {
    long cost = kImpossible;
    int before = 0;
  };
  std::vector<std::array<Step, kLevels>> steps(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    Step best;  // of all levels of the place before that allow for this one
    const bool mayBeEqual = i > 0 && order[i - 1].submitted <= order[i].submitted;
    const auto consider = [&](int level) {
      if (level < kLevels && steps[i - 1][static_cast<std::size_t>(level)].cost < best.cost)
        best = {steps[i - 1][static_cast<std::size_t>(level)].cost, level};
    };
    if (i == 0) best.cost = 0;
    for (int level = kLevels - 1; level >= 0; --level) {
      if (i > 0) consider(mayBeEqual ? level : level + 1);
      if (best.cost == kImpossible) continue;
      steps[i][static_cast<std::size_t>(level)] = {best.cost + costOf(order[i], level - kMost), best.before};
    }
  }
  std::vector<int> priorities(order.size());
  if (order.empty()) return priorities;
  int level = 0;
  for (int other = 1; other < kLevels; ++other)
    if (steps.back()[static_cast<std::size_t>(other)].cost <
        steps.back()[static_cast<std::size_t>(level)].cost)
      level = other;
  if (steps.back()[static_cast<std::size_t>(level)].cost == kImpossible) return {};
  for (std::size_t i = order.size(); i-- > 0;) {
    priorities[i] = level - kMost;
    level = steps[i][static_cast<std::size_t>(level)].before;
  }
  return priorities;
}

std::vector<PriorityChange> movedTo(const std::vector<QueuePlace>& queue, std::size_t row) {
  std::vector<QueuePlace> order, between;
  std::size_t at = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    (queue[i].isMoved ? between : order).push_back(queue[i]);
    if (i < row && !queue[i].isMoved) at = order.size();
  }
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(at), between.begin(), between.end());
  const auto priorities = prioritiesFor(order);
  if (!priorities)
    throw Error(ErrorKind::conflict,
                say("this order needs more priorities than there are between {} and {}", -kMost, kMost));
  std::vector<PriorityChange> changes;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i].priority != (*priorities)[i])
      changes.push_back({order[i].run, order[i].priority, (*priorities)[i]});
  return changes;
}

}  // namespace batchscope::common
