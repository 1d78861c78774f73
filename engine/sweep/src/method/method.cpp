// SPDX-License-Identifier: Apache-2.0
#include "batchscope/sweep/method.h"

#include "method/samplers.h"

namespace batchscope::sweep {

std::optional<Point> suggest(Method method, const Space& space, std::span<const Trial> trials,
                             std::uint64_t seed) {
  switch (method) {
    case Method::grid: return grid_point(space, trials.size());
    case Method::random: return random_point(space, trials.size(), seed);
    case Method::sobol: return sobol_point(space, trials.size(), seed);
    case Method::tpe: break;
  }
  return tpe_point(space, trials, seed);
}

}  // namespace batchscope::sweep
