// SPDX-License-Identifier: GPL-3.0-or-later
//
// A figure of the restarts: the prediction of each, with its expected range, beside the outcome.
#pragma once

#include <vector>

#include "batchscope/storage/catalogue.h"
#include "figure/figure_data.h"

namespace batchscope::desktop {

FigureData predictedAndObtained(const std::vector<storage::Generation>& generations);

}  // namespace batchscope::desktop
