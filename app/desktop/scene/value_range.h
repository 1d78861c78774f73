// SPDX-License-Identifier: GPL-3.0-or-later
//
// The values of one vertical axis, from which its ends follow. A robust range leaves out single peaks: it
// holds the middle 90 % of the extremes in view, and every median of a few neighbouring columns, so that it
// also holds a short phase.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "scene/decimate.h"
#include "series/noise_windows.h"

namespace batchscope::desktop {

struct RangeOptions {
  bool isRobust = false;
  bool isLog = false;
  bool isZoomed = false;
  bool isFromLowest = false;  // begins near the lowest value, wherever that is
  double base = 0;            // what the values stand on otherwise, where they are above it
};

class ValueRange {
 public:
  void add(std::span<const Column> columns);
  void add(std::span<const NoiseWindow> windows, double factor);
  void addBound(double value) { medians_.push_back(value); }  // it is seen whatever the samples are
  bool isEmpty() const { return values_.empty(); }

  // Whether the values, peaks aside, are all > 0 and tell more on a logarithmic axis.
  bool spansDecades();
  // Whether some value lies outside.
  bool isBeyond(double low, double high) const;

  // Reorders what was added.
  std::pair<double, double> range(const RangeOptions& options);

 private:
  std::vector<double> values_, medians_;
};

}  // namespace batchscope::desktop
