// SPDX-License-Identifier: Apache-2.0
/// \file
/// The prediction for a restart (prediction.h) beside its outcome, as its generation has them.
#pragma once

#include <optional>

#include "batchscope/storage/catalogue.h"

namespace batchscope::run {

/// Rates in samples/s: of goodput, or of throughput where nothing was known of efficiency.
struct Forecast {
  bool is_goodput = true;          ///< else throughput
  double predicted = 0;            ///< positive
  double error = -1;               ///< of the prediction, as Prediction::error; not positive: unknown
  std::optional<double> obtained;  ///< none: not measured, or not yet

  double low() const {
    return predicted / (1 + error);
  }  ///< the range that was expected, where error is known
  double high() const { return predicted * (1 + error); }  ///< its other end
  /// Returns how much more was obtained than predicted, as a share; none where nothing was obtained.
  std::optional<double> change() const {
    return obtained ? std::optional(*obtained / predicted - 1) : std::nullopt;
  }
  /// Returns whether the outcome lies within the range; none where either is unknown.
  std::optional<bool> held() const {
    if (!obtained || !(error > 0)) return std::nullopt;
    return low() <= *obtained && *obtained <= high();
  }
};

/// Returns the forecast of a generation; none where nothing was predicted of it. Never throws.
inline std::optional<Forecast> forecast_of(const storage::Generation& generation) {
  const bool is_goodput = generation.predicted_goodput >= 0;
  const double predicted = is_goodput ? generation.predicted_goodput : generation.predicted_throughput;
  const double obtained = is_goodput ? generation.obtained_goodput : generation.obtained_throughput;
  if (!(predicted > 0)) return std::nullopt;
  return Forecast{is_goodput, predicted, generation.predicted_error,
                  obtained >= 0 ? std::optional(obtained) : std::nullopt};
}

}  // namespace batchscope::run
