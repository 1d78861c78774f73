// SPDX-License-Identifier: GPL-3.0-or-later
//
// Windows of noise (noise_windows.h) in a plot: a line through their medians, and around it the band between
// their quantiles. Smoothing averages each window with its neighbours. Both break at holes.
#pragma once

#include <span>
#include <vector>

#include "chart/decimate.h"
#include "chart/noise_windows.h"

namespace batchscope::desktop {

struct NoiseBand {
  std::vector<QPolygonF> middle;
  std::vector<QPolygonF> outlines;  // of the band, in pieces
  std::int64_t samples = 0;
};

// `factor` multiplies the values; `smoothing` as for decimate.
NoiseBand noiseBand(std::span<const NoiseWindow> windows, const common::StepMap& map,
                    const Projection& projection, double factor, double smoothing);

}  // namespace batchscope::desktop
