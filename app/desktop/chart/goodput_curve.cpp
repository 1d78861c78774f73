// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/goodput_curve.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "batchscope/common/ticks.h"
#include "chart/axis.h"
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

double GoodputCurve::Frame::px(std::int64_t batch) const {
  return std::clamp(left.px(static_cast<double>(batch)), left.plot.left(), left.plot.right());
}

double GoodputCurve::Frame::rateY(double rate) const {
  return std::clamp(left.py(rate), left.plot.top(), left.plot.bottom());
}

double GoodputCurve::Frame::shareY(double share) const {
  return std::clamp(right.py(share), right.plot.top(), right.plot.bottom());
}

std::optional<GoodputCurve::Frame> GoodputCurve::frame() const {
  if (curve_.size() < 2) return {};
  Projection p;
  p.plot = isLarge_ ? QRectF(rect()).adjusted(44, 12, -36, -40) : QRectF(rect()).adjusted(6, 16, -6, -34);
  p.x0 = static_cast<double>(curve_.front().batchSize);
  p.x1 = static_cast<double>(curve_.back().batchSize);
  p.logX = true;
  Frame frame{p, p};
  double& top = frame.left.y1;
  top = std::max_element(curve_.begin(), curve_.end(), [](const auto& a, const auto& b) {
          return a.throughput < b.throughput;
        })->throughput;
  if (!(top > 0) || !(p.x1 > p.x0)) return {};
  if (isLarge_) {
    const double step = common::roundInterval(0, top, 4);
    top = std::ceil(top / step) * step;
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
  const auto draw = [&](auto y, const QColor& colour, double width) {
    QPolygonF line;
    for (const OperatingPoint& point : curve_) line << QPointF(frame->px(point.batchSize), y(point));
    painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(line);
  };
  draw([&](const auto& p) { return frame->rateY(p.throughput); }, theme.series[1], 1.4);
  draw([&](const auto& p) { return frame->shareY(p.efficiency); }, theme.series[2], 1.4);
  draw([&](const auto& p) { return frame->rateY(p.goodput); }, theme.series[0], 2);
  paintMarks(painter, *frame);
  paintLegend(painter, *frame);
  if (cursor_) paintCursor(painter, *frame);
}

void GoodputCurve::paintAxes(QPainter& painter, const Frame& frame) const {
  const Theme& theme = Theme::current();
  const QRectF& plot = frame.left.plot;
  const double top = frame.left.y1;
  AxisTicks ticks{
      .bottom = logTicks(frame.left.x0, frame.left.x1, isLarge_ ? 8 : 5), .left = {}, .right = {}};
  if (isLarge_) {
    ticks.left = linearTicks(0, top, 4);
    ticks.right = linearTicks(0, 1, 4);
  } else {
    for (int i = 0; i <= 4; ++i) ticks.left.push_back({top * i / 4, {}});
  }
  paintGrid(painter, frame.left, ticks.left, theme);
  paintLabels(painter, frame.left, frame.right, ticks, width(), theme);
  // Where one pass through a replica no longer holds the batch.
  if (const auto begins = accumulationBegins(); begins > curve_.front().batchSize) {
    painter.fillRect(QRectF(QPointF(frame.px(begins), plot.top()), plot.bottomRight()),
                     withAlpha(theme.accent, 0.07));
  }
}

void GoodputCurve::label(QPainter& painter, const Frame& frame, QPointF at, const QString& text,
                         bool goesLeft) const {
  const Theme& theme = Theme::current();
  const QFontMetrics metrics = painter.fontMetrics();
  const double width = metrics.horizontalAdvance(text);
  const bool isLeft = (goesLeft && at.x() - 5 - width > frame.left.plot.left()) ||
                      at.x() + 5 + width > frame.left.plot.right();
  const double left = isLeft ? at.x() - 5 - width : at.x() + 5;
  painter.fillRect(QRectF(left - 2, at.y() - metrics.ascent(), width + 4, metrics.height()),
                   withAlpha(theme.panel, 0.75));
  painter.setPen(theme.dim);
  painter.drawText(QPointF(left, at.y()), text);
}

void GoodputCurve::paintMarks(QPainter& painter, const Frame& frame) const {
  const Theme& theme = Theme::current();
  const auto begins = accumulationBegins();
  if (isLarge_ && begins > curve_.front().batchSize) {
    label(painter, frame, {frame.px(begins), frame.left.plot.bottom() - 18}, tr("accumulation"), false);
  }
  if (best_) {
    const double x = frame.px(best_->batchSize);
    QPen pen(theme.accent, 1, Qt::CustomDashLine);
    pen.setDashPattern({3, 3});
    painter.setPen(pen);
    painter.drawLine(QPointF(x, frame.left.plot.top()), QPointF(x, frame.left.plot.bottom()));
    label(painter, frame, {x, frame.left.plot.bottom() - 4}, tr("best %1").arg(formatCount(best_->batchSize)),
          false);
  }
  if (now_) {
    const QPointF at(frame.px(now_->batchSize), frame.rateY(now_->goodput));
    painter.setPen(QPen(theme.series[0], 1.6));
    painter.setBrush(theme.panel);
    painter.drawEllipse(at, 4, 4);
    label(painter, frame, {at.x(), at.y() - 8}, tr("now %1").arg(formatCount(now_->batchSize)),
          best_ && best_->batchSize >= now_->batchSize);
  }
}

void GoodputCurve::paintLegend(QPainter& painter, const Frame& frame) const {
  const Theme& theme = Theme::current();
  const double y = frame.left.plot.bottom() + 31;
  double x = frame.left.plot.left();
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
    return std::abs(frame.px(point.batchSize) - *cursor_);
  };
  const OperatingPoint at = *std::min_element(
      curve_.begin(), curve_.end(), [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  const double x = std::floor(frame.px(at.batchSize)) + 0.5;
  painter.setPen(QPen(theme.dim, 1));
  painter.drawLine(QPointF(x, frame.left.plot.top()), QPointF(x, frame.left.plot.bottom()));
  painter.setBrush(theme.panel);
  const std::pair<double, std::size_t> rings[] = {
      {frame.rateY(at.throughput), 1}, {frame.shareY(at.efficiency), 2}, {frame.rateY(at.goodput), 0}};
  for (const auto& [y, colour] : rings) {
    painter.setPen(QPen(theme.series[colour], 1.6));
    painter.drawEllipse(QPointF(x, y), 3, 3);
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
