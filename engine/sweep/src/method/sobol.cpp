// SPDX-License-Identifier: Apache-2.0
//
// Sobol numbers, a dimension for each parameter. The seed flips binary digits, the same ones of every point
// (a random digital shift): each run of 2^k points from a multiple of 2^k on still has one value in each of
// the 2^k equal parts of every axis.
#include <boost/random/sobol.hpp>
#include <cmath>

#include "method/samplers.h"
#include "random.h"

namespace batchscope::sweep {

Point sobol_point(const Space& space, std::size_t number, std::uint64_t seed) {
  if (space.size() == 0) return {};
  std::vector<std::uint64_t> digits(space.size(), 0);
  if (number > 0) {  // Boost leaves the sequence's first point out, the origin
    boost::random::sobol sequence(space.size());
    sequence.seed(number - 1);
    for (std::uint64_t& each : digits) each = sequence();
  }
  Random random(seed, 0);
  for (std::uint64_t& each : digits) each ^= random.bits();
  return space.point([&](std::size_t i) {
    return space.parameters()[i].at_share(static_cast<double>(digits[i] >> 11) * 0x1p-53);
  });
}

}  // namespace batchscope::sweep
