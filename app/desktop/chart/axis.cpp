// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/axis.h"

#include <QCoreApplication>
#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

#include "batchscope/common/ticks.h"

namespace batchscope::desktop {
namespace {

constexpr int kMostDecimals = 6;  // beyond them numbers have a power of ten
constexpr double kGap = 6;        // between a label and the plot
constexpr double kApart = 8;      // between two labels
constexpr double kHalf = 8;       // of the height that a label is centred in
constexpr double kBeyond = 0.5;   // pixels that rounding may move a tick out of the plot

QString tr(const char* text) { return QCoreApplication::translate("ticks", text); }

// Labels in units of `unit`.
std::vector<Tick> evenly(double low, double high, double interval, double unit, const QString& suffix,
                         const QString& suffixOfZero) {
  const int decimals = common::decimalsOf(interval / unit, kMostDecimals + 1);
  // As many digits as tell neighbours apart.
  const double largest = std::max({std::abs(low), std::abs(high), interval});
  const int digits = static_cast<int>(std::log10(largest / interval)) + 3;
  std::vector<Tick> ticks;
  for (const double value : common::multiples(low, high, interval)) {
    const bool isPlain = decimals <= kMostDecimals;
    const QString number = value == 0 ? QLocale().toString(0)
                           : isPlain  ? QLocale().toString(value / unit, 'f', decimals)
                                      : QLocale().toString(value / unit, 'g', digits);
    ticks.push_back({value, number + (value == 0 ? suffixOfZero : suffix)});
  }
  return ticks;
}

}  // namespace

std::vector<Tick> linearTicks(double low, double high, int most) {
  const double interval = common::roundInterval(low, high, most);
  const double largest = std::max(std::abs(low), std::abs(high));
  if (largest >= 1e7) return evenly(low, high, interval, 1e6, QStringLiteral("M"), {});
  if (largest >= 1e4) return evenly(low, high, interval, 1e3, QStringLiteral("k"), {});
  return evenly(low, high, interval, 1, {}, {});
}

std::vector<Tick> timeTicks(double low, double high, int most) {
  struct Clock {
    double unit;
    QString suffix;
    double end;  // of the axes that it is for
    std::vector<double> steps;
  };
  const Clock clocks[] = {
      {1, tr(" s"), 180, {1, 2, 5, 10, 15, 30}},
      {60, tr(" min"), 180 * 60, {10, 15, 30, 60, 120, 300, 600, 900, 1200, 1800}},
      {3600, tr(" h"), 72 * 3600, {900, 1800, 3600, 7200, 10800, 21600, 43200}},
  };
  const auto in = [&](double interval, double unit, const QString& suffix) {
    return evenly(low, high, interval, unit, suffix, suffix);
  };
  const double rough = (high - low) / std::max(1, most);
  if (rough < 1) return in(common::roundInterval(low, high, most), 1, tr(" s"));
  for (const Clock& clock : clocks) {
    const auto step = std::lower_bound(clock.steps.begin(), clock.steps.end(), rough);
    if (high <= clock.end && step != clock.steps.end()) return in(*step, clock.unit, clock.suffix);
  }
  const double days = std::max(0.25, common::roundInterval(low / 86400, high / 86400, most));
  return in(days * 86400, 86400, tr(" d"));
}

std::vector<Tick> logTimeTicks(double low, double high, int most) {
  struct Unit {
    double seconds;
    QString name;
    std::vector<double> counts;
  };
  const Unit units[] = {{1e-3, tr(" ms"), {1, 3, 10, 30, 100, 300}},
                        {1, tr(" s"), {1, 3, 10, 30}},
                        {60, tr(" min"), {1, 3, 10, 30}},
                        {3600, tr(" h"), {1, 3, 10}},
                        {86400, tr(" d"), {1, 3, 10, 30, 100}}};
  std::vector<Tick> all;
  for (const Unit& unit : units) {
    for (const double count : unit.counts) {
      const double value = count * unit.seconds;
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
        all.push_back({value, QLocale().toString(count) + unit.name});
    }
  }
  // Every second, third .. one, counted from the end, where a log axis is dense.
  const std::size_t stride = std::max<std::size_t>(1, (all.size() + most - 1) / std::max(1, most));
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((all.size() - 1 - i) % stride == 0) ticks.push_back(all[i]);
  }
  return ticks;
}

std::vector<Tick> logTicks(double low, double high, int most) {
  // Powers of two read best for batch sizes and gain, powers of ten once they would crowd.
  const double octaves = std::log2(high / low);
  const double base = octaves <= most ? 2 : octaves <= 2 * most ? 4 : 10;
  std::vector<Tick> ticks;
  for (const double value : common::powers(low, high, base, most)) {
    ticks.push_back({value, value >= 1e6   ? QLocale().toString(value / 1e6, 'g', 3) + QLatin1Char('M')
                            : value >= 1e4 ? QLocale().toString(value / 1e3, 'g', 3) + QLatin1Char('k')
                                           : QLocale().toString(value, 'g', 4)});
  }
  return ticks;
}

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
