// SPDX-License-Identifier: Apache-2.0
#include "method/parzen.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

#include "normal_cdf.h"

namespace batchscope::sweep {
namespace {

constexpr std::size_t kFresh = 25;  // trials whose weight is 1

// Returns the mean of exp(-z^2/2) between two places.
double mean_height(double from, double to) {
  constexpr double kArea = std::numbers::sqrt2 / std::numbers::inv_sqrtpi;
  return kArea * (normal_cdf(to) - normal_cdf(from)) / (to - from);
}

std::vector<double> weights_by_age(std::size_t trials) {
  std::vector<double> weights(trials + 1, 1);
  const std::size_t old = trials > kFresh ? trials - kFresh : 0;
  const double first = 1 / static_cast<double>(std::max<std::size_t>(trials, 1));
  for (std::size_t i = 0; i < old; ++i)
    weights[i] =
        first + (1 - first) * static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(old - 1, 1));
  const double sum = std::reduce(weights.begin(), weights.end());
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

Parzen::Parzen(const Space& space, std::span<const Trial* const> trials)
    : space_(space), weights_(weights_by_age(trials.size())), axes_(space.size()) {
  const auto kernels = static_cast<double>(weights_.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Parameter& parameter = space.parameters()[i];
    if (parameter.kind != Parameter::Kind::choice) {
      axes_[i] = number_axis(i, trials);
      continue;
    }
    for (const Trial* trial : trials) axes_[i].chosen.push_back(trial->point.at(i).value_or(-1));
    axes_[i].chosen.push_back(-1);
    axes_[i].extra = 1 / (1 + static_cast<double>(parameter.choices.size()) / kernels);
  }
}

Parzen::Axis Parzen::number_axis(std::size_t parameter, std::span<const Trial* const> trials) const {
  const Parameter& of = space_.parameters()[parameter];
  const auto [low, high] = of.axis();
  const double width = high - low;
  const Factor prior{low + width / 2, width};
  Axis axis{std::vector<Factor>(weights_.size(), prior), {}, 0};
  std::vector<std::size_t> sorted{trials.size()};
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i]->point.at(parameter)) continue;
    axis.factors[i].mean = of.on_axis(*trials[i]->point[parameter]);
    sorted.push_back(i);
  }
  std::ranges::stable_sort(sorted, {}, [&](std::size_t i) { return axis.factors[i].mean; });
  const double least = width / std::min(100.0, 1.0 + static_cast<double>(sorted.size()));
  for (std::size_t at = 0; at < sorted.size(); ++at) {
    if (sorted[at] == trials.size()) continue;  // the prior
    const auto mean = [&](std::size_t place) { return axis.factors[sorted[place]].mean; };
    const double left = at > 0 ? mean(at) - mean(at - 1) : 0;
    const double right = at + 1 < sorted.size() ? mean(at + 1) - mean(at) : 0;
    axis.factors[sorted[at]].sigma = std::clamp(std::max(left, right), least, width);
  }
  for (Factor& factor : axis.factors) {
    factor.below = normal_cdf((low - factor.mean) / factor.sigma);
    factor.inside = normal_cdf((high - factor.mean) / factor.sigma) - factor.below;
  }
  return axis;
}

double Parzen::draw(std::size_t parameter, std::size_t kernel, Random& random) const {
  const Parameter& of = space_.parameters()[parameter];
  const Axis& axis = axes_[parameter];
  if (of.kind == Parameter::Kind::choice) {
    const double chosen = axis.chosen[kernel];
    if (chosen >= 0 && random.unit() < axis.extra) return chosen;
    return static_cast<double>(random.below(of.choices.size()));
  }
  const Factor& factor = axis.factors[kernel];
  // The mean is on the axis, so that the quantile is never far out, where it would not be exact.
  const double share = std::clamp(factor.below + random.unit() * factor.inside, 1e-300, 1 - 1e-16);
  const auto [low, high] = of.axis();
  return of.value(std::clamp(
      factor.mean - factor.sigma * std::numbers::sqrt2 * boost::math::erfc_inv(2 * share), low, high));
}

Point Parzen::draw(Random& random) const {
  return space_.point([&](std::size_t parameter) {
    double share = random.unit();
    std::size_t kernel = 0;
    while (kernel + 1 < weights_.size() && share >= weights_[kernel]) share -= weights_[kernel++];
    return draw(parameter, kernel, random);
  });
}

double Parzen::density(const Point& point) const {
  std::vector<double> terms = weights_;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    if (!point[i]) continue;
    const Axis& axis = axes_[i];
    const Parameter& parameter = space_.parameters()[i];
    if (parameter.kind == Parameter::Kind::choice) {
      const double other = 1 - axis.extra,
                   same = other + axis.extra * static_cast<double>(parameter.choices.size());
      for (std::size_t kernel = 0; kernel < terms.size(); ++kernel)
        if (axis.chosen[kernel] >= 0) terms[kernel] *= axis.chosen[kernel] == *point[i] ? same : other;
      continue;
    }
    const auto [low, high] = parameter.cell(*point[i]);
    for (std::size_t kernel = 0; kernel < terms.size(); ++kernel) {
      const Factor& factor = axis.factors[kernel];
      const double from = (low - factor.mean) / factor.sigma, to = (high - factor.mean) / factor.sigma;
      terms[kernel] *= (from < to ? mean_height(from, to) : std::exp(-from * from / 2)) / factor.inside;
    }
  }
  return std::reduce(terms.begin(), terms.end());
}

}  // namespace batchscope::sweep
