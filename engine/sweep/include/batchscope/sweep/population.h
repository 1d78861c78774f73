// SPDX-License-Identifier: Apache-2.0
/// \file
/// Population based training (Jaderberg et al., 2017): all members of a population train at the same time,
/// and at each interval a bad one goes on as a copy of a good one, which elastic checkpoints make as cheap as
/// a restart.
///
///     exploit    a member among the worst `share` goes on from the checkpoint of one of the best `share`,
///                chosen evenly (truncation selection)
///     explore    each number of that point is multiplied by 0.8 or 1.2; an integer, or a number with a step,
///                moves by at least one value. With the probability `resample`, and always where the number
///                is 0 or was not there, it is drawn again from its axis. A choice changes only by being
///                drawn again
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "batchscope/sweep/space.h"

namespace batchscope::sweep {

/// A member of the population.
struct Member {
  Point point;      ///< of the space
  double cost = 0;  ///< to become least; infinite where it diverged
};

/// How much changes.
struct PopulationRule {
  double share = 0.2;      ///< of the population that is replaced, 0 to 1/2; one member at least
  double resample = 0.25;  ///< probability, 0 to 1

  bool operator==(const PopulationRule&) const = default;  ///< of all fields
};

/// The fate of a member: it goes on from another's checkpoint, with another point.
struct Exploit {
  std::size_t from = 0;  ///< the member whose checkpoint it goes on from
  Point point;           ///< that it goes on with
};

/// Returns none where the member is not among the worst and goes on as it is. `interval` counts a member's
/// decisions: the same seed, interval and population give the same answer. A population of one, or one in
/// which nobody is better than the worst, stays as it is.
std::optional<Exploit> exploit(const Space& space, std::span<const Member> population, std::size_t member,
                               std::size_t interval, std::uint64_t seed, const PopulationRule& rule = {});

}  // namespace batchscope::sweep
