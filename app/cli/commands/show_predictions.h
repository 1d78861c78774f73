// SPDX-License-Identifier: Apache-2.0
//
// The table of show --predictions: each restart with its prediction and what came of it, and a line below.
#pragma once

#include "batchscope/common/predictions.h"
#include "terminal/terminal.h"

namespace batchscope::cli {

void showPredictions(const common::Predictions& predictions, const Style& style);

}  // namespace batchscope::cli
