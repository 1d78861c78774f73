// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/predictions.h"

#include <algorithm>
#include <cmath>

#include "batchscope/common/say.h"
#include "batchscope/run/number_text.h"

namespace batchscope::common {

using protocol::Json;

namespace {

PredictedRestart restartOf(const storage::Generation& generation, const run::Forecast& forecast) {
  PredictedRestart restart{forecast, generation.number, generation.replicas, {}, {}, {}, {}};
  restart.predictedText = run::number_text(restart.predicted);
  if (restart.error > 0)
    restart.expectedText = say("{} to {}", run::number_text(restart.low()), run::number_text(restart.high()));
  restart.obtainedText = restart.obtained       ? run::number_text(*restart.obtained)
                         : generation.ended > 0 ? say("never steady")
                                                : say("not yet");
  if (const auto change = restart.change()) restart.changeText = run::change_text(*change);
  return restart;
}

std::string summaryOf(const Predictions& predictions) {
  if (!predictions.medianError) return {};
  std::string text = say("{} measured, with a median error of {:.0f} %", predictions.measured,
                         100 * *predictions.medianError);
  if (predictions.ranged > 0)
    text += say("; {} of {} came out in the expected range, which should hold nine of ten", predictions.held,
                predictions.ranged);
  return text;
}

template <class T>
Json orNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json restartJson(const PredictedRestart& restart) {
  const bool isRanged = restart.error > 0;
  return {{"generation", restart.generation},
          {"replicas", restart.replicas},
          {"what", restart.what()},
          {"predicted", restart.predicted},
          {"low", isRanged ? Json(restart.low()) : Json()},
          {"high", isRanged ? Json(restart.high()) : Json()},
          {"obtained", orNull(restart.obtained)},
          {"change", orNull(restart.change())},
          {"held", orNull(restart.held())},
          {"shown",
           {{"predicted", restart.predictedText},
            {"expected", restart.expectedText},
            {"obtained", restart.obtainedText},
            {"change", restart.changeText}}}};
}

}  // namespace

Predictions predictionsOf(const std::vector<storage::Generation>& generations) {
  Predictions all;
  std::vector<double> errors;
  for (const storage::Generation& generation : generations) {
    const auto forecast = run::forecast_of(generation);
    if (!forecast) continue;
    if (const auto change = forecast->change()) errors.push_back(std::abs(*change));
    if (const auto held = forecast->held()) ++all.ranged, all.held += *held;
    all.restarts.push_back(restartOf(generation, *forecast));
  }
  all.measured = static_cast<int>(errors.size());
  if (!errors.empty()) {
    const auto middle = errors.begin() + std::ssize(errors) / 2;
    std::nth_element(errors.begin(), middle, errors.end());
    all.medianError = *middle;
  }
  all.summary = summaryOf(all);
  return all;
}

Json predictionsJson(const Predictions& predictions) {
  Json restarts = Json::array();
  for (const PredictedRestart& restart : predictions.restarts) restarts.push_back(restartJson(restart));
  return {{"restarts", restarts},
          {"measured", predictions.measured},
          {"held", predictions.ranged > 0 ? Json(predictions.held) : Json()},
          {"median_error", orNull(predictions.medianError)},
          {"summary", predictions.summary}};
}

}  // namespace batchscope::common
