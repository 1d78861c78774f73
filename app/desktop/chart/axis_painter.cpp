// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/axis_painter.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

namespace batchscope::desktop {
namespace {

constexpr double kGap = 6;       // between a label and the plot
constexpr double kApart = 8;     // between two labels
constexpr double kHalf = 8;      // of the height that a label is centred in
constexpr double kBeyond = 0.5;  // pixels that rounding may move a tick out of the plot

}  // namespace

void paintGrid(QPainter& painter, const Projection& left, const std::vector<Tick>& ticks,
               const Theme& theme) {
  painter.setPen(QPen(theme.grid, 1));
  for (const Tick& tick : ticks) {
    const double y = std::round(left.py(tick.value)) + 0.5;
    painter.drawLine(QPointF(left.plot.left(), y), QPointF(left.plot.right(), y));
  }
}

void paintLabels(QPainter& painter, const Projection& left, const Projection& right, const AxisTicks& ticks,
                 double width, const Theme& theme) {
  const QRectF& plot = left.plot;
  painter.setFont(interfaceFont(10));
  painter.setPen(theme.dim);
  for (const Tick& tick : ticks.left) {
    const QRectF box(0, left.py(tick.value) - kHalf, plot.left() - kGap, 2 * kHalf);
    painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip, tick.label);
  }
  for (const Tick& tick : ticks.right) {
    const QRectF box(plot.right() + kGap, right.py(tick.value) - kHalf, width - plot.right() - kGap,
                     2 * kHalf);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, tick.label);
  }
  const QFontMetrics metrics = painter.fontMetrics();
  double end = -std::numeric_limits<double>::infinity();
  for (const Tick& tick : ticks.bottom) {
    const double x = left.px(tick.value), wide = metrics.horizontalAdvance(tick.label);
    if (x < plot.left() - kBeyond || x > plot.right() + kBeyond) continue;
    const double from = std::clamp(x - wide / 2, 0.0, std::max(0.0, width - wide));
    if (from < end + kApart) continue;
    end = from + wide;
    painter.drawText(QPointF(from, plot.bottom() + kGap + metrics.ascent()), tick.label);
  }
}

}  // namespace batchscope::desktop
