// SPDX-License-Identifier: Apache-2.0
/// \file
/// The noise scale from independent estimates at the same weights, with its standard error:
///
///     noise scale = B0 * sum var / sum sqr        B0: the initial batch size
///
/// The error is the jackknife's: how far the quotient moves where one estimate is left out. A quotient of
/// means is biased by about its relative error squared; the jackknife's own value, without most of that, is
/// what comes back.
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
/// from zero: where without some estimate the rest of them do not add up to more than zero, or where the
/// error is as large as half of what was measured.
std::optional<MeasuredNoise> measured_noise(std::span<const GradParams> estimates,
                                            std::int64_t initial_batch_size);

}  // namespace batchscope::goodput
