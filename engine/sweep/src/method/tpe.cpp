// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "method/parzen.h"
#include "method/samplers.h"
#include "random.h"
#include "ranking.h"

namespace batchscope::sweep {
namespace {

constexpr std::size_t kStartup = 10;     // points before there is a density
constexpr std::size_t kCandidates = 24;  // drawn for each point
constexpr std::size_t kTries = 10;       // before a point is taken that was tried before

// The best trials, and the others, each in the order in which they began.
struct Parted {
  std::vector<const Trial*> best, others;
};

Parted part(std::span<const Trial> trials) {
  Parted parted;
  for (const Trial& trial : trials)
    if (!trial.cost && trial.state != Trial::State::failed) parted.others.push_back(&trial);
  const std::vector<const Trial*> ranking = ranked(trials);
  const auto best = static_cast<std::ptrdiff_t>(std::min<std::size_t>((ranking.size() + 9) / 10, 25));
  parted.best.assign(ranking.begin(), ranking.begin() + best);
  parted.others.insert(parted.others.end(), ranking.begin() + best, ranking.end());
  std::ranges::sort(parted.best);  // by address, which is their order
  std::ranges::sort(parted.others);
  return parted;
}

}  // namespace

Point tpe_point(const Space& space, std::span<const Trial> trials, std::uint64_t seed) {
  const auto tried = [&](const Point& point) {
    return std::ranges::find(trials, point, &Trial::point) != trials.end();
  };
  const auto untried = [&](const std::function<Point(std::size_t)>& suggested) {
    Point point = suggested(0);
    for (std::size_t attempt = 1; attempt < kTries && tried(point); ++attempt) point = suggested(attempt);
    return point;
  };
  const auto known = std::ranges::count_if(trials, [](const Trial& trial) { return trial.cost.has_value(); });
  if (static_cast<std::size_t>(known) < kStartup)
    return untried([&](std::size_t attempt) { return sobol_point(space, trials.size() + attempt, seed); });
  const Parted parted = part(trials);
  const Parzen good(space, parted.best), bad(space, parted.others);
  Random random(seed, trials.size());
  return untried([&](std::size_t) {
    Point best;
    double highest = -1;
    for (std::size_t candidate = 0; candidate < kCandidates; ++candidate) {
      Point point = good.draw(random);
      const double ratio = tried(point) ? 0 : good.density(point) / bad.density(point);
      if (ratio <= highest) continue;
      highest = ratio;
      best = std::move(point);
    }
    return best;
  });
}

}  // namespace batchscope::sweep
