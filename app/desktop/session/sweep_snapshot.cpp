// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/sweep_snapshot.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace batchscope::desktop {

std::vector<double> ranksOf(const sweep::SweepView& view) {
  std::vector<double> ranks(view.trials.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<std::pair<double, std::size_t>> costs;
  for (std::size_t trial = 0; trial < view.trials.size(); ++trial)
    if (const auto& value = view.trials[trial].standing.value; value && std::isfinite(*value))
      costs.emplace_back(sweep::cost_of(view.file.goal, *value), trial);
  std::sort(costs.begin(), costs.end());
  const double last = costs.empty() ? 0 : static_cast<double>(costs.size() - 1);
  for (std::size_t place = 0; place < costs.size(); ++place)
    ranks[costs[place].second] = last > 0 ? 1 - static_cast<double>(place) / last : 1;
  return ranks;
}

}  // namespace batchscope::desktop
