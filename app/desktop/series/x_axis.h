// SPDX-License-Identifier: GPL-3.0-or-later
//
// The quantity that the horizontal axis counts. All but the steps are recorded series (common/step_map.h):
// scale-invariant iterations are "progress", the statistical epoch (progress in units of a pass at the
// initial batch size) is "epoch", and active time is wall time without the pauses between generations.
#pragma once

#include <QString>
#include <array>

namespace batchscope::desktop {

enum class XAxis { Step, Progress, Epoch, Samples, WallTime, ActiveTime };

inline constexpr std::array kXAxes{XAxis::Step,    XAxis::Progress, XAxis::Epoch,
                                   XAxis::Samples, XAxis::WallTime, XAxis::ActiveTime};

QString xAxisName(XAxis axis);
// A place on it, with its unit: 3:20, 12,400 samples.
QString xAxisText(XAxis axis, double x);
bool isTime(XAxis axis);
// The width of the narrowest view.
double narrowestView(XAxis axis);

}  // namespace batchscope::desktop
