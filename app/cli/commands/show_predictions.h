// SPDX-License-Identifier: Apache-2.0
//
// What was predicted of each restart of a run, and what came: show --predictions.
#pragma once

#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/catalogue.h"
#include "terminal/terminal.h"

namespace batchscope::cli {

// "restarts": for each of which something was predicted its "generation", "replicas", "what" ("goodput" or
// "throughput") and, in samples/s, "predicted", "low", "high" (null where nobody said how sure it is) and
// "obtained" (null where it was not measured), "change" and "held" of these; of all: "measured", "held",
// "median_error", null where there are none.
protocol::Json predictionsJson(const std::vector<storage::Generation>& generations);

// The same as a table with a line below it.
void showPredictions(const std::vector<storage::Generation>& generations, const Style& style);

}  // namespace batchscope::cli
