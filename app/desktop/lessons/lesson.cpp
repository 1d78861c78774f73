// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lesson.h"

namespace batchscope::desktop {

XAxis axisOf(const SetAxis& set) {
  if (set.axis == QLatin1String("progress")) return XAxis::Progress;
  if (set.axis == QLatin1String("epoch")) return XAxis::Epoch;
  if (set.axis == QLatin1String("samples")) return XAxis::Samples;
  if (set.axis == QLatin1String("time")) return XAxis::WallTime;
  if (set.axis == QLatin1String("active")) return XAxis::ActiveTime;
  return XAxis::Step;
}

}  // namespace batchscope::desktop
