// SPDX-License-Identifier: Apache-2.0
#include "random.h"

#include "method/samplers.h"

namespace batchscope::sweep {

Point random_point(const Space& space, std::size_t number, std::uint64_t seed) {
  Random random(seed, number);
  return space.point([&](std::size_t i) { return space.parameters()[i].at_share(random.unit()); });
}

}  // namespace batchscope::sweep
