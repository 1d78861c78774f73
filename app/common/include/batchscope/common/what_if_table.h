// SPDX-License-Identifier: Apache-2.0
/// \file
/// The explorer's table of a number of replicas: what is measured now, and what the model predicts there.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "batchscope/common/goodput_prediction.h"

namespace batchscope::common {

/// A row; a dash stands for what is not known.
struct WhatIfRow {
  QString name;       ///< with the unit: "Goodput, samples/s"
  QString measured;   ///< "17,890"
  QString predicted;  ///< "≈ 18,410 (14,700 to 23,060)"
};

/// Returns the rows, always the same. `present` is the configuration now and `measured` the rate of its
/// newest steps; of the prediction its best point and that point's range of batch sizes are shown.
std::vector<WhatIfRow> whatIfTable(const std::optional<OperatingPoint>& present,
                                   const std::optional<run::MeasuredRate>& measured,
                                   const GoodputPrediction& prediction);

}  // namespace batchscope::common
