// SPDX-License-Identifier: Apache-2.0
/// \file
/// Learning-rate factors of the scaling rules, as plain functions of the statistics, so that a recorded run
/// can be replayed under another rule. AdaScale: Johnson et al. 2020; LEGW: You et al. 2019; the semantics
/// are those of AdaptDL's scaling_rules.py.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace batchscope::goodput {

/// Returns AdaScale's factors, one per parameter group: (var + sqr) / (var / scale + sqr) from the averages
/// as they are, sqr clamped to >= 0, var to >= 1e-6. scale is the batch size over the initial one. Throws
/// std::invalid_argument where sqr and var differ in size.
std::vector<double> adascale_factors(std::span<const double> sqr, std::span<const double> var, double scale);
/// Returns the square roots of AdaScale's factors, for Adam and similar optimizers. Throws as
/// adascale_factors does.
std::vector<double> adamscale_factors(std::span<const double> sqr, std::span<const double> var, double scale);
/// Returns scale, the factor of every group.
double linear_factor(double scale);
/// Returns the square root of scale, the factor of every group.
double sqrt_factor(double scale);
/// Returns the square root of scale, after a linear warm-up of base_warmup_epochs * scale epochs of data_size
/// samples, in steps of batch_size samples, measured in progress (scale-invariant iterations). Throws
/// std::invalid_argument for a batch size that is not positive.
double legw_factor(double scale, double base_warmup_epochs, std::int64_t data_size, std::int64_t batch_size,
                   double progress);

}  // namespace batchscope::goodput
