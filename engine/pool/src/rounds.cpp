// SPDX-License-Identifier: Apache-2.0
#include "rounds.h"

#include <algorithm>
#include <utility>

namespace batchscope::pool {
namespace {

constexpr double kBetweenRounds = 5;  // s

}  // namespace

std::optional<Occasion> Rounds::next(const World& world, const Change& change, double now) {
  if (!change.cause.empty()) due_ = change.cause;
  const bool somebody_waits = std::ranges::any_of(world.members, waits);
  if (due_.empty() && somebody_waits && now - last_ >= turn_of(world)) due_ = "a turn is over";
  const double apart = std::min(kBetweenRounds, world.settings.turn);
  if (!due_.empty() && (change.is_urgent || now - last_ >= apart)) {
    last_ = now;
    return Occasion{Scope::round, std::exchange(due_, "")};
  }
  const bool gives_back = std::ranges::any_of(world.members, &Member::to_be_paused);
  if (!change.cause.empty() && (somebody_waits || gives_back))
    return Occasion{Scope::free_devices, change.cause};
  return std::nullopt;
}

}  // namespace batchscope::pool
