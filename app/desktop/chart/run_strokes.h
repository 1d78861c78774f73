// SPDX-License-Identifier: GPL-3.0-or-later
//
// While runs are compared, a line's colour names its run, and its strokes name the series: solid for the
// first line of a chart, then dashed, dotted, dash and dot.
#pragma once

#include <QList>
#include <cstddef>
#include <iterator>

namespace batchscope::desktop {

// A dash pattern of QPen, in widths of the line; empty: solid.
inline QList<qreal> runStrokes(std::size_t line) {
  static const QList<qreal> patterns[] = {{}, {4, 2.5}, {0.5, 2.5}, {5, 2, 0.5, 2}};
  return patterns[line % std::size(patterns)];
}

}  // namespace batchscope::desktop
