// SPDX-License-Identifier: GPL-3.0-or-later
#include "explorer/step_time_plot.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "chart/ticks.h"
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
    const auto [low, high] = std::minmax(time.measured, time.predicted);
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

QRectF StepTimePlot::plot() const { return QRectF(rect()).adjusted(44, 8, -14, -36); }

QPointF StepTimePlot::place(const StepTime& time) const {
  const QRectF plot = this->plot();
  const auto share = [this](double seconds) { return std::log(seconds / low_) / std::log(high_ / low_); };
  if (!(high_ > low_) || !(low_ > 0)) return {};
  return {plot.left() + share(time.predicted) * plot.width(),
          plot.bottom() - share(time.measured) * plot.height()};
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
  const QRectF plot = this->plot();
  const QFontMetrics metrics = painter.fontMetrics();
  const auto at = [&](double seconds) {
    StepTime both;
    both.measured = both.predicted = seconds;
    return place(both);
  };
  for (const Tick& tick : logTicks(1000 * low_, 1000 * high_, 5)) {
    const QPointF there = at(tick.value / 1000);
    painter.setPen(QPen(theme.grid, 1));
    painter.drawLine(QPointF(plot.left(), there.y()), QPointF(plot.right(), there.y()));
    painter.drawLine(QPointF(there.x(), plot.top()), QPointF(there.x(), plot.bottom()));
    painter.setPen(theme.dim);
    painter.drawText(QRectF(0, there.y() - 8, plot.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter,
                     tick.label);
    painter.drawText(QRectF(there.x() - 30, plot.bottom() + 4, 60, 14), Qt::AlignHCenter | Qt::AlignTop,
                     tick.label);
  }
  painter.setPen(theme.dim);
  painter.drawText(QRectF(plot.left(), plot.bottom() + 19, plot.width(), 14), Qt::AlignHCenter,
                   tr("predicted, ms"));

  painter.save();
  painter.setClipRect(plot);
  const QPointF from = at(low_), to = at(high_);
  const double aside = std::log(1 + kAgreement) / std::log(high_ / low_) * plot.height();
  QColor shade = theme.accent;
  shade.setAlphaF(0.08F);
  painter.setPen(Qt::NoPen);
  painter.setBrush(shade);
  painter.drawPolygon(QPolygonF{from + QPointF(0, aside), to + QPointF(0, aside), to - QPointF(0, aside),
                                from - QPointF(0, aside)});
  painter.setPen(QPen(theme.dim, 1, Qt::DotLine));
  painter.drawLine(from, to);
  painter.restore();
  std::vector<int> counts;
  for (const StepTime& time : times_) {
    if (counts.empty() || counts.back() != time.replicas) counts.push_back(time.replicas);
  }
  const auto colourOf = [&](int replicas) {
    const auto index =
        static_cast<std::size_t>(std::find(counts.begin(), counts.end(), replicas) - counts.begin());
    return theme.series[index % theme.series.size()];
  };
  for (const StepTime& time : times_) {
    QColor fill = colourOf(time.replicas);
    painter.setPen(QPen(fill, 1.6));
    fill.setAlphaF(0.25F);
    painter.setBrush(fill);
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
