// SPDX-License-Identifier: Apache-2.0
#include "exchange.h"

#include <algorithm>
#include <set>

namespace batchscope::pool {
namespace {

bool waits_for(const WaitingMove& move, const WaitingMove& other) {
  return &move != &other && std::any_of(move.target.begin(), move.target.end(), [&](const auto& device) {
    return std::find(other.held.begin(), other.held.end(), device) != other.held.end();
  });
}

bool waits_for_itself(const WaitingMove& move, const std::vector<WaitingMove>& moves) {
  std::set<const WaitingMove*> reached;
  std::vector<const WaitingMove*> next{&move};
  while (!next.empty()) {
    const WaitingMove& at = *next.back();
    next.pop_back();
    for (const WaitingMove& other : moves)
      if (waits_for(at, other) && reached.insert(&other).second) next.push_back(&other);
  }
  return reached.contains(&move);
}

}  // namespace

std::optional<std::string> gives_way(const std::vector<WaitingMove>& moves) {
  const WaitingMove* least = nullptr;
  for (const WaitingMove& move : moves)
    if ((!least || move.held.size() < least->held.size()) && waits_for_itself(move, moves)) least = &move;
  return least ? std::optional(least->run) : std::nullopt;
}

}  // namespace batchscope::pool
