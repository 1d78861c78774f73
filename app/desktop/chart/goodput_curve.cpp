// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/goodput_curve.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "chart/ticks.h"
#include "look/format.h"
#include "look/theme.h"

namespace batchscope::desktop {

GoodputCurve::GoodputCurve(QWidget* parent) : QWidget(parent) {
  setFixedHeight(160);
  setAccessibleName(tr("Goodput over batch size"));
}

void GoodputCurve::setLarge() {
  isLarge_ = true;
  setMinimumSize(220, 120);
  setMaximumHeight(QWIDGETSIZE_MAX);
  setMouseTracking(true);
}

void GoodputCurve::setCurve(std::vector<OperatingPoint> curve, std::optional<OperatingPoint> now,
                            std::optional<OperatingPoint> best) {
  curve_ = std::move(curve);
  now_ = now;
  best_ = best;
  setAccessibleDescription(best_ ? tr("Best batch size %1 with %2 samples per second")
                                       .arg(formatCount(best_->batchSize), formatNumber(best_->goodput))
                                 : QString());
  update();
}

std::int64_t GoodputCurve::accumulationBegins() const {
  const auto found = std::find_if(curve_.begin(), curve_.end(),
                                  [](const OperatingPoint& point) { return point.accumulation > 0; });
  return found == curve_.end() ? 0 : found->batchSize;
}

double GoodputCurve::Frame::px(double batch) const {
  return plot.left() + std::clamp(std::log(batch / low) / std::log(high / low), 0.0, 1.0) * plot.width();
}

double GoodputCurve::Frame::py(double share) const {
  return plot.bottom() - std::clamp(share, 0.0, 1.0) * plot.height();
}

std::optional<GoodputCurve::Frame> GoodputCurve::frame() const {
  if (curve_.size() < 2) return {};
  Frame frame;
  frame.plot = isLarge_ ? QRectF(rect()).adjusted(44, 12, -36, -40) : QRectF(rect()).adjusted(6, 16, -6, -34);
  frame.low = static_cast<double>(curve_.front().batchSize);
  frame.high = static_cast<double>(curve_.back().batchSize);
  frame.top = 0;
  for (const OperatingPoint& point : curve_) frame.top = std::max(frame.top, point.throughput);
  if (!(frame.top > 0) || !(frame.high > frame.low)) return {};
  if (isLarge_) {
    const double step = roundInterval(0, frame.top, 4);
    frame.top = std::ceil(frame.top / step) * step;
  }
  return frame;
}

void GoodputCurve::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(interfaceFont(10));
  const auto frame = this->frame();
  if (!frame) {
    painter.setPen(theme.dim);
    painter.drawText(rect(), Qt::AlignCenter, tr("No model yet"));
    return;
  }
  paintAxes(painter, *frame);
  const auto draw = [&](auto share, const QColor& colour, double width) {
    QPolygonF line;
    for (const OperatingPoint& point : curve_)
      line << QPointF(frame->px(static_cast<double>(point.batchSize)), frame->py(share(point)));
    painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(line);
  };
  draw([&](const auto& p) { return p.throughput / frame->top; }, theme.series[1], 1.4);
  draw([](const auto& p) { return p.efficiency; }, theme.series[2], 1.4);
  draw([&](const auto& p) { return p.goodput / frame->top; }, theme.series[0], 2);
  paintMarks(painter, *frame);
  paintLegend(painter, *frame);
  if (cursor_) paintCursor(painter, *frame);
}

void GoodputCurve::paintAxes(QPainter& painter, const Frame& frame) const {
  const Theme& theme = Theme::current();
  const QRectF& plot = frame.plot;
  const QFontMetrics metrics = painter.fontMetrics();
  std::vector<Tick> rates;
  if (isLarge_) {
    rates = linearTicks(0, frame.top, 4);
  } else {
    for (int i = 0; i <= 4; ++i) rates.push_back({frame.top * i / 4, {}});
  }
  for (const Tick& tick : rates) {
    const double y = std::round(frame.py(tick.value / frame.top)) + 0.5;
    painter.setPen(QPen(theme.grid, 1));
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter.setPen(theme.dim);
    painter.drawText(QRectF(0, y - 8, plot.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter, tick.label);
  }
  if (isLarge_) {
    for (const Tick& tick : linearTicks(0, 1, 4)) {
      const double y = frame.py(tick.value);
      painter.drawText(QRectF(plot.right() + 6, y - 8, 30, 16), Qt::AlignLeft | Qt::AlignVCenter, tick.label);
    }
  }
  double labelEnd = -1e9;
  for (const Tick& tick : logTicks(frame.low, frame.high, isLarge_ ? 8 : 5)) {
    const double width = metrics.horizontalAdvance(tick.label);
    const double left = std::clamp(frame.px(tick.value) - width / 2, 0.0, this->width() - width);
    if (left < labelEnd + 8) continue;
    labelEnd = left + width;
    painter.drawText(QPointF(left, plot.bottom() + 14), tick.label);
  }
  // Where one pass through a replica no longer holds the batch.
  if (const auto begins = accumulationBegins(); begins > curve_.front().batchSize) {
    QColor shade = theme.accent;
    shade.setAlphaF(0.07F);
    const double from = frame.px(static_cast<double>(begins));
    painter.fillRect(QRectF(QPointF(from, plot.top()), plot.bottomRight()), shade);
  }
}

void GoodputCurve::label(QPainter& painter, const Frame& frame, QPointF at, const QString& text,
                         bool goesLeft) const {
  const Theme& theme = Theme::current();
  const QFontMetrics metrics = painter.fontMetrics();
  const double width = metrics.horizontalAdvance(text);
  const bool isLeft =
      (goesLeft && at.x() - 5 - width > frame.plot.left()) || at.x() + 5 + width > frame.plot.right();
  const double left = isLeft ? at.x() - 5 - width : at.x() + 5;
  QColor ground = theme.panel;
  ground.setAlphaF(0.75F);
  painter.fillRect(QRectF(left - 2, at.y() - metrics.ascent(), width + 4, metrics.height()), ground);
  painter.setPen(theme.dim);
  painter.drawText(QPointF(left, at.y()), text);
}

void GoodputCurve::paintMarks(QPainter& painter, const Frame& frame) const {
  const Theme& theme = Theme::current();
  const auto begins = accumulationBegins();
  if (isLarge_ && begins > curve_.front().batchSize) {
    label(painter, frame, {frame.px(static_cast<double>(begins)), frame.plot.bottom() - 18},
          tr("accumulation"), false);
  }
  if (best_) {
    const double x = frame.px(static_cast<double>(best_->batchSize));
    QPen pen(theme.accent, 1, Qt::CustomDashLine);
    pen.setDashPattern({3, 3});
    painter.setPen(pen);
    painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
    label(painter, frame, {x, frame.plot.bottom() - 4}, tr("best %1").arg(formatCount(best_->batchSize)),
          false);
  }
  if (now_) {
    const QPointF at(frame.px(static_cast<double>(now_->batchSize)), frame.py(now_->goodput / frame.top));
    painter.setPen(QPen(theme.series[0], 1.6));
    painter.setBrush(theme.panel);
    painter.drawEllipse(at, 4, 4);
    label(painter, frame, {at.x(), at.y() - 8}, tr("now %1").arg(formatCount(now_->batchSize)),
          best_ && best_->batchSize >= now_->batchSize);
  }
}

void GoodputCurve::paintLegend(QPainter& painter, const Frame& frame) const {
  const Theme& theme = Theme::current();
  const double y = frame.plot.bottom() + 31;
  double x = frame.plot.left();
  for (const auto& [text, colour] :
       {std::pair(tr("throughput"), 1), std::pair(tr("efficiency"), 2), std::pair(tr("goodput"), 0)}) {
    painter.setPen(QPen(theme.series[static_cast<std::size_t>(colour)], 2));
    painter.drawLine(QPointF(x, y - 4), QPointF(x + 10, y - 4));
    painter.setPen(theme.dim);
    painter.drawText(QPointF(x + 14, y), text);
    x += 14 + painter.fontMetrics().horizontalAdvance(text) + 12;
  }
}

void GoodputCurve::paintCursor(QPainter& painter, const Frame& frame) const {
  const Theme& theme = Theme::current();
  const auto distance = [&](const OperatingPoint& point) {
    return std::abs(frame.px(static_cast<double>(point.batchSize)) - *cursor_);
  };
  const OperatingPoint at = *std::min_element(
      curve_.begin(), curve_.end(), [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  const double x = std::floor(frame.px(static_cast<double>(at.batchSize))) + 0.5;
  painter.setPen(QPen(theme.dim, 1));
  painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
  painter.setBrush(theme.panel);
  const std::pair<double, std::size_t> rings[] = {
      {at.throughput / frame.top, 1}, {at.efficiency, 2}, {at.goodput / frame.top, 0}};
  for (const auto& [share, colour] : rings) {
    painter.setPen(QPen(theme.series[colour], 1.6));
    painter.drawEllipse(QPointF(x, frame.py(share)), 3, 3);
  }
  const QString steps = at.accumulation == 0 ? QString() : tr(" × %1 micro-batches").arg(at.accumulation + 1);
  const QString text =
      tr("%1 = %2 × %3%4: %5 at %6, goodput %7")
          .arg(formatCount(at.batchSize))
          .arg(at.replicas)
          .arg(formatCount(at.batchSize / at.replicas / (at.accumulation + 1)))
          .arg(steps, formatNumber(at.throughput), formatNumber(at.efficiency, 2), formatNumber(at.goodput));
  const double width = painter.fontMetrics().horizontalAdvance(text);
  painter.fillRect(QRectF(this->width() - width - 14, 0, width + 10, 14), theme.panel);
  painter.setPen(theme.dim);
  painter.drawText(QPointF(this->width() - width - 10, 10), text);
}

void GoodputCurve::mouseMoveEvent(QMouseEvent* event) {
  if (!isLarge_) return;
  cursor_ = event->position().x();
  update();
}

void GoodputCurve::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) Q_EMIT clicked();
}

void GoodputCurve::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  cursor_.reset();
  update();
}

}  // namespace batchscope::desktop
