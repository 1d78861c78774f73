// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "explorer/step_times.h"
#include "figure/figure_data.h"

namespace batchscope::desktop {

// Measured step time over predicted, on logarithmic axes: a ring for each configuration, and the diagonal
// where measurement and model agree, with 10 % to either side.
FigureData stepTimeFigure(const std::vector<StepTime>& times);

}  // namespace batchscope::desktop
