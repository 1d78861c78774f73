// SPDX-License-Identifier: Apache-2.0
#include "batchscope/goodput/speedup.h"

#include <cmath>

namespace batchscope::goodput {

SpeedupFunction::SpeedupFunction(const GoodputFunction& goodput, const Bounds& bounds)
    : goodput_(goodput), bounds_(bounds), base_(goodput.optimize(1, 1, bounds).goodput) {}

double SpeedupFunction::operator()(int num_nodes, int num_replicas) {
  const auto [entry, absent] = known_.try_emplace({num_nodes, num_replicas});
  if (absent) {
    const double ratio = goodput_.optimize(num_nodes, num_replicas, bounds_).goodput / base_;
    entry->second = std::isfinite(ratio) ? ratio : 0;  // not over a base of 0
  }
  return entry->second;
}

}  // namespace batchscope::goodput
