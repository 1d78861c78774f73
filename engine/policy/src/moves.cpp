// SPDX-License-Identifier: Apache-2.0
#include "batchscope/policy/moves.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace batchscope::policy {
namespace {

constexpr double kLostShare = 0.05;
constexpr double kLostWindow = 600;  // s
constexpr double kFirstReluctance = 0.1, kMostReluctance = 0.9;

}  // namespace

bool left_alone(std::span<const Move> moves, double now, double pause) {
  const double window = std::max(kLostWindow, pause / kLostShare);
  double lost = 0;
  for (const Move& move : moves)
    if (move.time > now - window) lost += move.seconds;
  return lost > 0 && lost + pause > kLostShare * window;
}

double reluctance(std::span<const Move> moves, double now) {
  int undone = 0;
  std::vector<int> counts;  // each differs from the one before
  for (const Move& move : moves) {
    if (move.time <= now - kRememberedMoves || (!counts.empty() && counts.back() == move.devices)) continue;
    if (counts.size() >= 2 && counts[counts.size() - 2] == move.devices) ++undone;
    counts.push_back(move.devices);
  }
  return std::min(kFirstReluctance * (std::exp2(undone) - 1), kMostReluctance);
}

}  // namespace batchscope::policy
