// SPDX-License-Identifier: GPL-3.0-or-later
#include "goodput_curve.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "format.h"
#include "theme.h"
#include "ticks.h"

namespace batchscope::desktop {

GoodputCurve::GoodputCurve(QWidget* parent) : QWidget(parent) {
  setFixedHeight(160);
  setAccessibleName(tr("Goodput over batch size"));
}

void GoodputCurve::setCurve(std::vector<OperatingPoint> curve, std::optional<OperatingPoint> now,
                            std::optional<OperatingPoint> best) {
  curve_ = std::move(curve);
  now_ = now;
  best_ = best;
  if (best_) {
    setAccessibleDescription(tr("Best batch size %1 with %2 samples per second")
                                 .arg(formatCount(best_->batchSize), formatNumber(best_->goodput)));
  }
  update();
}

void GoodputCurve::paintEvent(QPaintEvent*) {
  if (curve_.size() < 2) return;
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(interfaceFont(10));
  const QFontMetrics metrics = painter.fontMetrics();
  const QRectF plot = QRectF(rect()).adjusted(6, 16, -6, -34);
  const auto low = static_cast<double>(curve_.front().batchSize),
             high = static_cast<double>(curve_.back().batchSize);
  double top = 0;
  for (const OperatingPoint& point : curve_) top = std::max(top, point.throughput);
  if (!(top > 0) || !(high > low)) return;

  const auto px = [&](double batch) {
    return plot.left() + std::clamp(std::log(batch / low) / std::log(high / low), 0.0, 1.0) * plot.width();
  };
  const auto py = [&](double share) { return plot.bottom() - std::clamp(share, 0.0, 1.0) * plot.height(); };
  painter.setPen(QPen(theme.grid, 1));
  for (int i = 0; i <= 4; ++i) {
    const double y = std::round(py(i / 4.0)) + 0.5;
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
  }
  double labelEnd = -1e9;
  for (const Tick& tick : logTicks(low, high, 5)) {
    const double width = metrics.horizontalAdvance(tick.label);
    const double left = std::clamp(px(tick.value) - width / 2, 0.0, this->width() - width);
    if (left < labelEnd + 8) continue;
    labelEnd = left + width;
    painter.setPen(theme.dim);
    painter.drawText(QPointF(left, plot.bottom() + 14), tick.label);
  }
  // Where one pass through a replica no longer holds the batch.
  const auto accumulates = std::find_if(curve_.begin(), curve_.end(),
                                        [](const OperatingPoint& point) { return point.accumulation > 0; });
  if (accumulates != curve_.end() && accumulates != curve_.begin()) {
    QColor shade = theme.accent;
    shade.setAlphaF(0.07F);
    const double from = px(static_cast<double>(accumulates->batchSize));
    painter.fillRect(QRectF(QPointF(from, plot.top()), plot.bottomRight()), shade);
  }

  const auto draw = [&](auto share, const QColor& colour, double width) {
    QPolygonF line;
    for (const OperatingPoint& point : curve_)
      line << QPointF(px(static_cast<double>(point.batchSize)), py(share(point)));
    painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(line);
  };
  draw([&](const auto& p) { return p.throughput / top; }, theme.series[1], 1.4);
  draw([](const auto& p) { return p.efficiency; }, theme.series[2], 1.4);
  draw([&](const auto& p) { return p.goodput / top; }, theme.series[0], 2);

  const auto label = [&](double x, double y, const QString& text, bool goesLeft = false) {
    const double width = metrics.horizontalAdvance(text);
    const bool isLeft = (goesLeft && x - 5 - width > plot.left()) || x + 5 + width > plot.right();
    const double left = isLeft ? x - 5 - width : x + 5;
    QColor ground = theme.panel;
    ground.setAlphaF(0.75F);
    painter.fillRect(QRectF(left - 2, y - metrics.ascent(), width + 4, metrics.height()), ground);
    painter.setPen(theme.dim);
    painter.drawText(QPointF(left, y), text);
  };
  if (best_) {
    const double x = px(static_cast<double>(best_->batchSize));
    QPen pen(theme.accent, 1, Qt::CustomDashLine);
    pen.setDashPattern({3, 3});
    painter.setPen(pen);
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    label(x, plot.bottom() - 4, tr("best %1").arg(formatCount(best_->batchSize)));
  }
  if (now_) {
    const QPointF at(px(static_cast<double>(now_->batchSize)), py(now_->goodput / top));
    painter.setPen(QPen(theme.series[0], 1.6));
    painter.setBrush(theme.panel);
    painter.drawEllipse(at, 4, 4);
    label(at.x(), at.y() - 8, tr("now %1").arg(formatCount(now_->batchSize)),
          best_ && best_->batchSize >= now_->batchSize);
  }

  double x = plot.left();
  for (const auto& [text, colour] :
       {std::pair(tr("throughput"), 1), std::pair(tr("efficiency"), 2), std::pair(tr("goodput"), 0)}) {
    painter.setPen(QPen(theme.series[static_cast<std::size_t>(colour)], 2));
    painter.drawLine(QPointF(x, plot.bottom() + 27), QPointF(x + 10, plot.bottom() + 27));
    painter.setPen(theme.dim);
    painter.drawText(QPointF(x + 14, plot.bottom() + 31), text);
    x += 14 + metrics.horizontalAdvance(text) + 12;
  }
}

}  // namespace batchscope::desktop
