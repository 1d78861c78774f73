// SPDX-License-Identifier: Apache-2.0
#include "batchscope/sweep/importance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "normal_cdf.h"
#include "ranking.h"

namespace batchscope::sweep {
namespace {

constexpr std::size_t kCells = 50;  // of an axis
constexpr std::size_t kFewest = 5;  // trials that are the best

// The probability of each of the few values.
std::vector<double> frequencies(const Parameter& parameter, std::span<const double> values) {
  std::vector<double> parts(*parameter.count(), 0);
  const double first = parameter.nth(0), step = parts.size() > 1 ? parameter.nth(1) - first : 1;
  for (const double value : values)
    parts[static_cast<std::size_t>(std::lround((value - first) / step))] +=
        1 / static_cast<double>(values.size());
  return parts;
}

// The probability of each cell of the axis.
std::vector<double> smooth(const Parameter& parameter, std::span<const double> values) {
  const auto [low, high] = parameter.axis();
  const double cell = (high - low) / static_cast<double>(kCells), count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) {
    const double place = parameter.on_axis(value) - low;
    sum += place;
    squares += place * place;
  }
  const double deviation = std::sqrt(std::max(0.0, squares / count - sum / count * (sum / count)));
  const double sigma = std::max(deviation * std::pow(count, -0.2), cell / 2);  // Scott's rule
  std::vector<double> parts(kCells, 0);
  std::vector<double> below(kCells + 1);
  for (const double value : values) {
    const double place = parameter.on_axis(value) - low;
    for (std::size_t i = 0; i <= kCells; ++i)
      below[i] = normal_cdf((static_cast<double>(i) * cell - place) / sigma);
    for (std::size_t i = 0; i < kCells; ++i)
      parts[i] += (below[i + 1] - below[i]) / (below[kCells] - below[0]) / count;
  }
  return parts;
}

double divergence(const std::vector<double>& best, const std::vector<double>& all) {
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] > 0) sum += (best[i] - all[i]) * (best[i] - all[i]) / all[i];
  return sum;
}

}  // namespace

std::vector<double> importance(const Space& space, std::span<const Trial> trials, double share) {
  const std::vector<const Trial*> ranking = ranked(trials);
  std::vector<double> importance(space.size(), 0);
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Parameter& parameter = space.parameters()[i];
    std::vector<double> values;
    for (const Trial* trial : ranking)
      if (const auto& value = trial->point.at(i)) values.push_back(*value);
    const auto wanted =
        std::max(kFewest, static_cast<std::size_t>(share * static_cast<double>(values.size())));
    const std::size_t best = std::min(wanted, values.size() / 2);
    if (best == 0) continue;
    const bool few = parameter.count() && *parameter.count() <= kCells;
    const auto density = few ? frequencies : smooth;
    importance[i] =
        divergence(density(parameter, std::span(values).first(best)), density(parameter, values)) *
        static_cast<double>(values.size()) / static_cast<double>(ranking.size());
  }
  const double sum = std::reduce(importance.begin(), importance.end());
  if (sum > 0)
    for (double& each : importance) each /= sum;
  return importance;
}

}  // namespace batchscope::sweep
