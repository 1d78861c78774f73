// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the horizontal axis counts, and the map between a generation's steps and it. Wall time and progress
// are themselves recorded series that only grow, so the map is linear between their samples.
#pragma once

#include <QString>
#include <cstdint>
#include <limits>

#include "track.h"

namespace batchscope::desktop {

enum class XAxis { Step, Progress, WallTime };

QString xAxisName(XAxis axis);

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
