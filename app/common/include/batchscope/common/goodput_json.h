// SPDX-License-Identifier: Apache-2.0
/// \file
/// The content of the goodput explorer for a run, as JSON (app/cli/REPORT.md): the fitted model, the bounds
/// of its choice, and measured values beside its predictions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/run/measured_rate.h"
#include "batchscope/run/prediction.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// Returns the newest model that was fitted to the run; none also where it cannot be read, so that the rest
/// is still shown.
std::optional<protocol::Model> readableModel(storage::Catalogue& catalogue, const std::string& id);
/// Returns the measured rate of the run's newest steps; none where there are too few or they cannot be read.
std::optional<run::MeasuredRate> measuredRate(const std::string& id,
                                              const std::vector<storage::Generation>& generations);
/// Returns the model's prediction for the configuration of the run's newest steps.
std::optional<run::Prediction> predictedNow(const storage::Run& run,
                                            const std::optional<protocol::Model>& model,
                                            const std::vector<storage::Generation>& generations);

/// Returns null where no model has been fitted. Measured values come from the run's series: an empty list
/// before the first of them, null where they cannot be read.
protocol::Json goodputJson(const storage::Run& run, const std::optional<protocol::Model>& model,
                           const std::vector<storage::Generation>& generations);

}  // namespace batchscope::common
