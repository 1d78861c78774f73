// SPDX-License-Identifier: Apache-2.0
#include "batchscope/sweep/population.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "random.h"

namespace batchscope::sweep {
namespace {

constexpr double kFactors[] = {0.8, 1.2};

double perturbed(const Parameter& parameter, double value, Random& random) {
  const double factor = kFactors[random.below(2)];
  const double wanted = std::clamp(value * factor, parameter.min, parameter.max);
  const double near = parameter.value(parameter.on_axis(wanted));
  if (near != value || !parameter.count()) return near;
  // Too small a change for its values: the next one in that direction, the other at the end of the range.
  const double step = parameter.step.value_or(1) * (wanted < value ? -1 : 1);
  const auto at = [&](double place) {
    return parameter.value(parameter.on_axis(std::clamp(place, parameter.min, parameter.max)));
  };
  return at(value + step) != value ? at(value + step) : at(value - step);
}

}  // namespace

std::optional<Exploit> exploit(const Space& space, std::span<const Member> population, std::size_t member,
                               std::size_t interval, std::uint64_t seed, const PopulationRule& rule) {
  std::vector<std::size_t> ranked(population.size());
  std::iota(ranked.begin(), ranked.end(), std::size_t{0});
  std::ranges::stable_sort(ranked, {}, [&](std::size_t i) { return population[i].cost; });
  const auto part = std::min(
      std::max<std::size_t>(1, static_cast<std::size_t>(rule.share * static_cast<double>(ranked.size()))),
      ranked.size() / 2);
  const auto worst = ranked.end() - static_cast<std::ptrdiff_t>(part);
  if (std::find(worst, ranked.end(), member) == ranked.end()) return std::nullopt;

  Random random(seed, interval * population.size() + member);
  Exploit result{ranked[random.below(part)], {}};
  const Member& better = population[result.from];
  if (!(better.cost < population[member].cost)) return std::nullopt;
  result.point = space.point([&](std::size_t i) {
    const Parameter& parameter = space.parameters()[i];
    const auto& value = better.point.at(i);
    const bool anew = random.unit() < rule.resample;
    if (!value || anew) return parameter.at_share(random.unit());
    if (parameter.kind == Parameter::Kind::choice) return *value;
    return *value == 0 ? parameter.at_share(random.unit()) : perturbed(parameter, *value, random);
  });
  return result;
}

}  // namespace batchscope::sweep
