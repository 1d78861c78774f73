// SPDX-License-Identifier: Apache-2.0
/// \file
/// The noise scale from independent estimates at the same weights, with its standard error:
///
///     noise scale = B0 * sum var / sum sqr        B0: the initial batch size
///
/// The error is the jackknife's: how far the quotient moves where one estimate is left out. A quotient of
/// means is biased by about the square of its relative error. The jackknife's own value, which is free of
/// most of this bias, is returned.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "batchscope/goodput/model.h"

namespace batchscope::goodput {

/// A noise scale that was measured.
struct MeasuredNoise {
  double noise_scale = 0;     ///< samples
  double standard_error = 0;  ///< samples
};

/// Returns nullopt for fewer than three estimates, and where the squared norm of the gradient cannot be told
/// from zero: where the other estimates do not add up to more than zero once one is left out, or where the
/// error is at least half of the noise scale.
std::optional<MeasuredNoise> measured_noise(std::span<const GradParams> estimates,
                                            std::int64_t initial_batch_size);

}  // namespace batchscope::goodput
