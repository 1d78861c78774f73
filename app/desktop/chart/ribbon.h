// SPDX-License-Identifier: GPL-3.0-or-later
//
// The area that a wide pen covers along a line of about a point per pixel, or of a few pixels where it is not
// steep, as polygons with a vertex above and one below each place. Filling them gives the picture of the
// stroke at a fraction of its cost: Qt's raster engine turns each of hundreds of short segments and round
// joins into an outline of its own (measured for 560 columns at width 1.6: 12 times as long for a smooth
// line, 46 times for one with two points a column).
#pragma once

#include <QPolygonF>
#include <vector>

namespace batchscope::desktop {

// Whether the line runs to the right in steps so small that a ribbon is indistinguishable from a stroke.
bool isDense(const QPolygonF& line);

// Returns a dense line as areas that overlap by one place, for a pen that hides what is below. Points that
// share an x are one place that reaches from the lowest to the highest of them.
std::vector<QPolygonF> ribbon(const QPolygonF& line, double width);

}  // namespace batchscope::desktop
