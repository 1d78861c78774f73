// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs of one group as one line: at every second pixel column the median of the lines that are drawn there,
// and around it a band from the lowest to the highest, or between the quartiles. It is taken from the drawn
// lines, after smoothing: an axis, also a logarithmic one, keeps the order of values, so the median of
// heights is the height of the median (for an even number of runs: of the mean of their drawn heights).
#pragma once

#include <QRectF>
#include <string>
#include <vector>

namespace batchscope::desktop {

struct ChartScene;

enum class GroupBands { None, Extremes, Quartiles };

// `groups`: of the runs in the order of SceneLine::run; empty: the run stays alone. So does a group of one. A
// group has the colour of its first run.
void bundleGroups(ChartScene& scene, const std::vector<std::string>& groups, GroupBands bands);

}  // namespace batchscope::desktop
