// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the horizontal axis counts, and the map between a generation's steps and it. All but the steps are
// recorded series that only grow, so the map is linear between their samples: scale-invariant iterations are
// "progress", the statistical epoch (progress in units of a pass at the initial batch size) is "epoch", and
// active time is wall time without the pauses between generations.
#pragma once

#include <QString>
#include <array>
#include <cstdint>
#include <limits>

#include "chart/track.h"

namespace batchscope::desktop {

enum class XAxis { Step, Progress, Epoch, Samples, WallTime, ActiveTime };

inline constexpr std::array kXAxes{XAxis::Step,    XAxis::Progress, XAxis::Epoch,
                                   XAxis::Samples, XAxis::WallTime, XAxis::ActiveTime};

QString xAxisName(XAxis axis);
bool isTime(XAxis axis);
// No view is narrower than this.
double narrowestView(XAxis axis);

// Of one generation. Borrowed: valid as long as the series model is not refreshed.
class XMap {
 public:
  XMap() = default;  // steps themselves
  XMap(const Track* track, double origin) : track_(track), origin_(origin), isStep_(false) {}

  // NaN where nothing is known.
  double at(double step) const;
  // The step at which x is reached, within the generation's first and last.
  double stepAt(double x) const;

 private:
  const Track* track_ = nullptr;
  double origin_ = 0;
  bool isStep_ = true;
};

}  // namespace batchscope::desktop
