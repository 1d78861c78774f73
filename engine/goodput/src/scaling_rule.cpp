// SPDX-License-Identifier: Apache-2.0
#include "batchscope/goodput/scaling_rule.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "batchscope/goodput/noise_scale.h"

namespace batchscope::goodput {

std::vector<double> adascale_factors(std::span<const double> sqr, std::span<const double> var, double scale) {
  if (sqr.size() != var.size()) {
    throw std::invalid_argument("scaling rule: " + std::to_string(sqr.size()) + " squared norms but " +
                                std::to_string(var.size()) +
                                " variances; there must be one of each for each parameter group");
  }
  std::vector<double> factors(sqr.size());
  for (std::size_t group = 0; group < factors.size(); ++group) {
    factors[group] = gain_of(std::max(sqr[group], 0.0), std::max(var[group], 1e-6), scale);
  }
  return factors;
}

std::vector<double> adamscale_factors(std::span<const double> sqr, std::span<const double> var,
                                      double scale) {
  std::vector<double> factors = adascale_factors(sqr, var, scale);
  for (double& factor : factors) factor = std::sqrt(factor);
  return factors;
}

double linear_factor(double scale) { return scale; }

double sqrt_factor(double scale) { return std::sqrt(scale); }

double legw_factor(double scale, double base_warmup_epochs, std::int64_t data_size, std::int64_t batch_size,
                   double progress) {
  if (batch_size <= 0) {
    throw std::invalid_argument("LEGW scaling rule: the batch size is " + std::to_string(batch_size) +
                                ", but must be positive");
  }
  const double warmup_steps =
      base_warmup_epochs * scale * static_cast<double>(data_size) / static_cast<double>(batch_size);
  return progress < warmup_steps ? std::sqrt(scale) * (progress / warmup_steps) : std::sqrt(scale);
}

}  // namespace batchscope::goodput
