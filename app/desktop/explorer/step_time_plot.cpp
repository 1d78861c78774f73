// SPDX-License-Identifier: GPL-3.0-or-later
#include "explorer/step_time_plot.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "batchscope/common/ticks.h"
#include "chart/axis.h"
#include "look/format.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr double kAgreement = 0.1;

double radius(const StepTime& time) {
  return std::clamp(2.5 + std::log10(static_cast<double>(std::max<std::int64_t>(1, time.steps))), 3.0, 7.0);
}

}  // namespace

StepTimePlot::StepTimePlot(QWidget* parent) : QWidget(parent) {
  setMinimumSize(150, 130);
  setAccessibleName(tr("Measured step time over predicted"));
}

void StepTimePlot::setTimes(std::vector<StepTime> times) {
  times_ = std::move(times);
  low_ = high_ = 0;
  for (const StepTime& time : times_) {
    const auto [low, high] = std::minmax({1000 * time.measured, 1000 * time.predicted});
    low_ = low_ == 0 ? low : std::min(low_, low);
    high_ = std::max(high_, high);
  }
  low_ /= 1.3;
  high_ *= 1.3;
  setAccessibleDescription(tr("Mean error %1 over %2 configurations")
                               .arg(formatPercent(run::mean_error(times_)))
                               .arg(times_.size()));
  update();
}

Projection StepTimePlot::projection() const {
  const QRectF plot = QRectF(rect()).adjusted(44, 8, -14, -36);
  return {.plot = plot, .x0 = low_, .x1 = high_, .y0 = low_, .y1 = high_, .log = true, .logX = true};
}

QPointF StepTimePlot::place(const StepTime& time) const {
  if (!(high_ > low_) || !(low_ > 0)) return {};
  const Projection p = projection();
  return {p.px(1000 * time.predicted), p.py(1000 * time.measured)};
}

void StepTimePlot::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(interfaceFont(10));
  if (times_.empty()) {
    painter.setPen(theme.dim);
    painter.drawText(rect(), Qt::AlignCenter, tr("No step time measured yet"));
    return;
  }
  const Projection p = projection();
  const QRectF& plot = p.plot;
  const QFontMetrics metrics = painter.fontMetrics();
  const std::vector<Tick> ticks = logTicks(low_, high_, 5);
  paintGrid(painter, p, ticks, theme);
  for (const Tick& tick : ticks)
    painter.drawLine(QPointF(p.px(tick.value), plot.top()), QPointF(p.px(tick.value), plot.bottom()));
  paintLabels(painter, p, p, {.bottom = ticks, .left = ticks, .right = {}}, width(), theme);
  painter.drawText(QRectF(plot.left(), plot.bottom() + 19, plot.width(), 14), Qt::AlignHCenter,
                   tr("predicted, ms"));

  painter.save();
  painter.setClipRect(plot);
  const QPointF from = plot.bottomLeft(), to = plot.topRight();
  const QPointF aside(0, common::axisPlace(1 + kAgreement, 1, high_ / low_, true) * plot.height());
  painter.setPen(Qt::NoPen);
  painter.setBrush(withAlpha(theme.accent, 0.08));
  painter.drawPolygon(QPolygonF{from + aside, to + aside, to - aside, from - aside});
  painter.setPen(QPen(theme.dim, 1, Qt::DotLine));
  painter.drawLine(from, to);
  painter.restore();
  std::vector<int> counts;
  for (const StepTime& time : times_)
    if (counts.empty() || counts.back() != time.replicas) counts.push_back(time.replicas);
  const auto colourOf = [&](int replicas) {
    const auto index =
        static_cast<std::size_t>(std::find(counts.begin(), counts.end(), replicas) - counts.begin());
    return theme.series[index % theme.series.size()];
  };
  for (const StepTime& time : times_) {
    const QColor colour = colourOf(time.replicas);
    painter.setPen(QPen(colour, 1.6));
    painter.setBrush(withAlpha(colour, 0.25));
    painter.drawEllipse(place(time), radius(time), radius(time));
  }
  double x = plot.left() + 6;
  for (const int replicas : counts) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(colourOf(replicas));
    painter.drawEllipse(QPointF(x + 3, plot.top() + 8), 3, 3);
    painter.setPen(theme.dim);
    const QString label = QStringLiteral("×%1").arg(replicas);
    painter.drawText(QPointF(x + 10, plot.top() + 12), label);
    x += 10 + metrics.horizontalAdvance(label) + 10;
  }
}

bool StepTimePlot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  for (const StepTime& time : times_) {
    if ((place(time) - QPointF(help->pos())).manhattanLength() > 2 * radius(time)) continue;
    QToolTip::showText(help->globalPos(),
                       tr("×%1, local batch %2, accumulation %3: measured %4 ms, predicted %5 ms")
                           .arg(time.replicas)
                           .arg(formatCount(time.local_batch_size))
                           .arg(time.accumulation)
                           .arg(formatNumber(1000 * time.measured), formatNumber(1000 * time.predicted)),
                       this);
    return true;
  }
  QToolTip::hideText();
  return true;
}

}  // namespace batchscope::desktop
