// SPDX-License-Identifier: Apache-2.0
/// \file
/// The predictions of a run's restarts beside their outcomes, as the command line, the window and the page
/// list them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/run/forecast.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// A restart that had a prediction, with its numbers in words.
struct PredictedRestart : run::Forecast {
  int generation = 0;         ///< the one that the restart began
  int replicas = 0;           ///< of that generation
  std::string predictedText;  ///< "18,400"
  std::string expectedText;   ///< "14,700 to 23,000"; empty: unknown
  std::string obtainedText;   ///< "17,900", "not yet", "never steady"
  std::string changeText;     ///< "−3 %"; empty: nothing was obtained

  /// "goodput", "throughput".
  const char* what() const { return is_goodput ? "goodput" : "throughput"; }
};

/// All predictions of a run.
struct Predictions {
  std::vector<PredictedRestart> restarts;  ///< in their order
  int measured = 0;                        ///< restarts with an outcome
  int ranged = 0;                          ///< of these, with an expected range
  int held = 0;                            ///< of these, with the outcome in that range
  std::optional<double> medianError;       ///< of the outcomes, a share; none without an outcome
  /// "6 measured, with a median error of 12 %; 5 of 6 came out in the expected range, which should hold nine
  /// of ten"; empty without an outcome.
  std::string summary;
};

/// Returns the predictions that these generations have recorded.
Predictions predictionsOf(const std::vector<storage::Generation>& generations);

/// {"restarts": [{"generation", "replicas", "what", "predicted", "low", "high", "obtained", "change", "held",
/// "shown": {"predicted", "expected", "obtained", "change"}}], "measured", "held", "median_error",
/// "summary"}; unknown values are null.
protocol::Json predictionsJson(const Predictions& predictions);

}  // namespace batchscope::common
