// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cuts polylines at a rectangle (Liang and Barsky 1984), for SVG, whose Qt generator knows no clipping.
#pragma once

#include <QPolygonF>
#include <QRectF>
#include <vector>

namespace batchscope::desktop {

// Returns the parts of the line that lie inside, as many pieces as it enters.
std::vector<QPolygonF> clipped(const QPolygonF& line, const QRectF& to);

}  // namespace batchscope::desktop
