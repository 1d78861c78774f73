// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/sweep_snapshot.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "batchscope/sweep/importance.h"

namespace batchscope::desktop {
namespace {

using sweep::Standing;

// As the methods see it (trial.h).
sweep::Trial trialOf(const sweep::SweepFile& file, const Standing& standing) {
  using State = sweep::Trial::State;
  sweep::Trial trial;
  trial.point = standing.point;
  switch (standing.state) {
    case Standing::State::running: trial.state = State::running; break;
    case Standing::State::paused: trial.state = State::paused; break;
    case Standing::State::failed: trial.state = State::failed; return trial;
    default: trial.state = State::ended;
  }
  if (!standing.value) return trial;
  trial.cost = std::isfinite(*standing.value) ? sweep::cost_of(file.goal, *standing.value)
                                              : std::numeric_limits<double>::infinity();
  const bool hasAll =
      standing.state == Standing::State::finished || standing.state == Standing::State::diverged;
  if (!hasAll) trial.reached = sweep::iterations_at(file.stop, standing.rung);
  return trial;
}

}  // namespace

std::vector<double> importanceOf(const sweep::SweepView& view) {
  std::vector<sweep::Trial> trials;
  for (const sweep::TrialView& trial : view.trials) trials.push_back(trialOf(view.file, trial.standing));
  return sweep::importance(sweep::Space(view.file.parameters), trials);
}

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
