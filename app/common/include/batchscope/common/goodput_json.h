// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the window's goodput explorer shows of a run, as JSON (app/cli/REPORT.md): the fitted model, within
/// what it may choose, and what was measured against it.
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

/// The newest model that was fitted to the run. One that cannot be read is not a reason to fail, or not to
/// show the rest.
std::optional<protocol::Model> readableModel(storage::Catalogue& catalogue, const std::string& id);
/// Returns the measured rate of the run's newest steps; none where there are too few or they cannot be read.
std::optional<run::MeasuredRate> measuredRate(const std::string& id,
                                              const std::vector<storage::Generation>& generations);
/// Returns the model's prediction for the configuration that these steps had.
std::optional<run::Prediction> predictedNow(const storage::Run& run,
                                            const std::optional<protocol::Model>& model,
                                            const std::vector<storage::Generation>& generations);

/// Null where no model has been fitted. What was measured comes from the run's series: none where there are
/// none yet, null where they cannot be read.
protocol::Json goodputJson(const storage::Run& run, const std::optional<protocol::Model>& model,
                           const std::vector<storage::Generation>& generations);

}  // namespace batchscope::common
