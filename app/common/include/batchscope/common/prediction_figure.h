// SPDX-License-Identifier: Apache-2.0
/// \file
/// A figure of the restarts: the prediction of each, with its expected range, beside the outcome.
#pragma once

#include <vector>

#include "batchscope/common/figure_data.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// See above.
FigureData predictedAndObtained(const std::vector<storage::Generation>& generations);

}  // namespace batchscope::common
