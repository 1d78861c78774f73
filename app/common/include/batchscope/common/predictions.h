// SPDX-License-Identifier: Apache-2.0
/// \file
/// The predictions of a run's restarts, beside what came of them, as the command line, the window and a page
/// list them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/run/forecast.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// A restart of which something was predicted, with its numbers in words.
struct PredictedRestart : run::Forecast {
  int generation = 0;         ///< that it began
  int replicas = 0;           ///< in it
  std::string predictedText;  ///< "18,400"
  std::string expectedText;   ///< "14,700 to 23,000"; empty: unknown
  std::string obtainedText;   ///< "17,900", "not yet", "never steady"
  std::string changeText;     ///< "−3 %"; empty: nothing was obtained

  /// "goodput", "throughput".
  const char* what() const { return is_goodput ? "goodput" : "throughput"; }
};

/// All of a run.
struct Predictions {
  std::vector<PredictedRestart> restarts;  ///< in their order
  int measured = 0;                        ///< of which something was obtained
  int ranged = 0;                          ///< of these, with a range that was expected
  int held = 0;                            ///< of these, that came out within it
  std::optional<double> medianError;       ///< how far off, as a share; none where nothing was obtained
  /// "6 measured, with a median error of 12 %; 5 of 6 came out in the expected range, and nine of ten
  /// should"; empty where nothing was obtained.
  std::string summary;
};

/// Returns what these generations tell.
Predictions predictionsOf(const std::vector<storage::Generation>& generations);

/// {"restarts": [{"generation", "replicas", "what", "predicted", "low", "high", "obtained", "change", "held",
/// "shown": {"predicted", "expected", "obtained", "change"}}], "measured", "held", "median_error",
/// "summary"}; null where something is unknown.
protocol::Json predictionsJson(const Predictions& predictions);

}  // namespace batchscope::common
