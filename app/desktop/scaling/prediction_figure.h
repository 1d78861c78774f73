// SPDX-License-Identifier: GPL-3.0-or-later
//
// A figure of the restarts: the prediction of each, with the range that was expected, beside what came of it.
#pragma once

#include <vector>

#include "batchscope/storage/catalogue.h"
#include "figure/figure_data.h"

namespace batchscope::desktop {

FigureData predictedAndObtained(const std::vector<storage::Generation>& generations);

}  // namespace batchscope::desktop
