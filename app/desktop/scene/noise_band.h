// SPDX-License-Identifier: GPL-3.0-or-later
//
// Windows of noise (noise_windows.h) in a plot: a line through their medians, and around it the band between
// their quantiles. Smoothing averages each window with its neighbours. Both break at holes.
#pragma once

#include <span>
#include <vector>

#include "scene/decimate.h"
#include "series/noise_windows.h"

namespace batchscope::desktop {

struct NoiseBand {
  std::vector<QPolygonF> middle;
  std::vector<QPolygonF> outlines;  // of the band, in pieces
  std::int64_t samples = 0;
};

// Where windows lie. The lines of a chart mostly have windows of the same steps, and to find where a step
// lies takes longer than to draw it.
class WindowPlaces {
 public:
  WindowPlaces(const common::StepMap& map, const Projection& projection)
      : map_(map), projection_(projection) {}

  double px(double step) const { return projection_.px(map_.at(step)); }
  // Value at the centre of window `number`.
  double middle(std::size_t number, const NoiseWindow& window);

 private:
  struct Known {
    std::int64_t first = 0, last = -1;
    double x = 0;
  };
  common::StepMap map_;
  Projection projection_;
  std::vector<Known> known_;
};

// `factor` multiplies the values; `smoothing` as for decimate.
NoiseBand noiseBand(std::span<const NoiseWindow> windows, WindowPlaces& at, const Projection& projection,
                    double factor, double smoothing);

}  // namespace batchscope::desktop
