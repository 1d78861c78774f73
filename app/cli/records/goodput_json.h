// SPDX-License-Identifier: Apache-2.0
//
// What the window's goodput explorer shows of a run, as JSON (app/cli/REPORT.md): the fitted model, within
// what it may choose, and what was measured against it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::cli {

// Null where no model has been fitted. What was measured comes from the run's series: none where there are
// none yet, null where they cannot be read.
protocol::Json goodputJson(const std::string& id, const std::optional<protocol::Model>& model,
                           const std::vector<storage::Generation>& generations);

}  // namespace batchscope::cli
