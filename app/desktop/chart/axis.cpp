// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/axis.h"

#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "batchscope/common/number_text.h"
#include "batchscope/common/ticks.h"
#include "batchscope/common/translate.h"

namespace batchscope::desktop {
namespace {

constexpr int kMostDecimals = 6;
constexpr double kMillion = 1e6;
constexpr double kSmall = 1e-3;  // where the largest is smaller, numbers have a power of ten
constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
constexpr double kLabelGap = 6;  // between a label and the plot
constexpr double kApart = 8;     // between two labels
constexpr double kCorner = 6;    // from the edge of the chart
constexpr double kHalf = 8;      // of the height that a label is centred in
constexpr double kBeyond = 0.5;  // pixels that rounding may move a tick out of the plot

// A value in a unit, with as many decimals as tell it from its neighbours at this interval.
QString numberText(double value, double interval, double unit) {
  const int decimals = common::decimalsOf(interval / unit, kMostDecimals + 1);
  if (decimals <= kMostDecimals) return QLocale().toString(value / unit, 'f', decimals);
  const int digits = static_cast<int>(std::log10(std::max(std::abs(value), interval) / interval)) + 3;
  return QLocale().toString(value / unit, 'g', digits);
}

// Formats as everywhere in the window (common/number_text.h): grouped thousands, and a power of ten for the
// very small; millions, which have no room at an axis, by their letter.
QString plainText(double value, double interval, double largest) {
  if (value == 0) return QLocale().toString(0);
  if (largest >= kMillion) return numberText(value, interval, kMillion) + QLatin1Char('M');
  if (largest >= kSmall) return numberText(value, interval, 1);
  const int exponent = static_cast<int>(std::floor(std::log10(largest)));
  return numberText(value, interval, std::pow(10, exponent)) + QStringLiteral("×") +
         common::formatPower(exponent);
}

bool isMultiple(double interval, double unit) {
  return interval >= unit && std::abs(std::remainder(interval, unit)) < 1e-6 * unit;
}

// 3:20 in units of 60, of which the smaller may have decimals: 3:20.5
QString clockText(double value, double interval) {
  const double whole = std::floor(value / 60 + 1e-9);
  const QString rest = numberText(std::max(0.0, value - 60 * whole), interval, 1);
  const bool isShort = rest.size() < 2 || !rest[1].isDigit();
  return QLocale().toString(whole, 'f', 0) + (isShort ? QStringLiteral(":0") : QStringLiteral(":")) + rest;
}

// Returns seconds, minutes or hours by the largest value; clock time where the ticks are not multiples of
// them.
QString timeText(double value, double interval, double largest) {
  if (largest <= 3 * kMinute) return numberText(value, interval, 1) + tr(" s");
  if (largest <= 3 * kHour)
    return isMultiple(interval, kMinute) ? numberText(value, interval, kMinute) + tr(" min")
                                         : clockText(value, interval);
  if (largest > 3 * kDay && interval >= kDay / 4) return numberText(value, interval, kDay) + tr(" d");
  if (isMultiple(interval, kHour)) return numberText(value, interval, kHour) + tr(" h");
  if (isMultiple(interval, kMinute)) return clockText(value / kMinute, interval / kMinute) + tr(" h");
  const double hours = std::floor(value / kHour + 1e-9);
  const QString rest = clockText(value - hours * kHour, interval);
  return QLocale().toString(hours, 'f', 0) +
         (rest.indexOf(QLatin1Char(':')) < 2 ? QStringLiteral(":0") : QStringLiteral(":")) + rest;
}

using Text = QString (*)(double value, double interval, double largest);

std::vector<Tick> evenly(double low, double high, double interval, Text text) {
  const double largest = std::max(std::abs(low), std::abs(high));
  std::vector<Tick> ticks;
  for (const double value : common::multiples(low, high, interval))
    ticks.push_back({value, text(value, interval, largest)});
  return ticks;
}

}  // namespace

std::vector<Tick> linearTicks(double low, double high, int most) {
  return evenly(low, high, common::roundInterval(low, high, most), plainText);
}

std::vector<Tick> timeTicks(double low, double high, int most) {
  static constexpr std::array kSteps{1.0,   2.0,   5.0,    10.0,   15.0,   30.0,   60.0,    120.0,   300.0,
                                     600.0, 900.0, 1200.0, 1800.0, 3600.0, 7200.0, 10800.0, 21600.0, 43200.0};
  const double rough = (high - low) / std::max(1, most);
  if (rough < kSteps.front()) return evenly(low, high, common::roundInterval(low, high, most), timeText);
  const auto step = std::lower_bound(kSteps.begin(), kSteps.end(), rough);
  if (step != kSteps.end()) return evenly(low, high, *step, timeText);
  return evenly(low, high, kDay * common::roundInterval(low / kDay, high / kDay, most), timeText);
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
  // Powers of two read best for batch sizes and gain, as decimals for what lies below one; and powers of ten
  // once they would crowd.
  std::vector<double> values;
  const double octaves = std::log2(high / low);
  if (low >= 1) {
    values = common::powers(low, high, octaves <= most ? 2 : octaves <= 2 * most ? 4 : 10, most);
  } else if (octaves <= 2 * most) {
    for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10)
      for (const double count : {1, 2, 5})
        if (count * power >= low * (1 - 1e-9) && count * power <= high * (1 + 1e-9))
          values.push_back(count * power);
  } else {
    values = common::powers(low, high, 10, most);
  }
  std::vector<Tick> ticks;
  for (const double value : values) {
    const double digit = std::pow(10, std::floor(std::log10(value) + 1e-9));
    ticks.push_back({value, plainText(value, value >= kMillion ? value : std::min(1.0, digit), value)});
  }
  return ticks;
}

void paintGrid(QPainter& painter, const Projection& left, const std::vector<Tick>& ticks,
               const Theme& theme) {
  // Lines are painted as rectangles, which take a tenth of the time.
  for (const Tick& tick : ticks)
    painter.fillRect(QRectF(left.plot.left(), std::round(left.py(tick.value)), left.plot.width(), 1),
                     theme.grid);
}

namespace {

// Every label, or every second, third .. one, so that none touches another: the ticks are the same for all
// charts of a range, and a narrow one names fewer. The name of the left axis goes before them.
void paintBelow(QPainter& painter, const Projection& left, const AxisTicks& ticks, double width) {
  struct Label {
    double from, to;
    const Tick* tick;
  };
  const QRectF& plot = left.plot;
  const QFontMetrics metrics = painter.fontMetrics();
  const double base = plot.bottom() + kLabelGap + metrics.ascent();
  const double leftEnd = ticks.leftName.isEmpty() ? 0 : metrics.horizontalAdvance(ticks.leftName) + kApart;
  painter.drawText(QPointF(kCorner, base), ticks.leftName);
  std::vector<Label> labels;
  for (const Tick& tick : ticks.bottom) {
    const double x = left.px(tick.value), wide = metrics.horizontalAdvance(tick.label);
    if (x < plot.left() - kBeyond || x > plot.right() + kBeyond) continue;
    const double from = std::clamp(x - wide / 2, 0.0, std::max(0.0, width - wide));
    labels.push_back({from, from + wide, &tick});
  }
  if (labels.empty()) return;
  // The choice of labelled ticks does not change as the view moves: the multiples of twice, thrice the
  // interval.
  const double interval = ticks.bottom.size() > 1 ? ticks.bottom[1].value - ticks.bottom[0].value : 1;
  const auto number = [&](std::size_t i) {
    return left.logX ? static_cast<std::int64_t>(labels.size() - 1 - i)
                     : std::llround(labels[i].tick->value / interval);
  };
  std::vector<const Label*> named;
  for (std::int64_t stride = 1; stride <= static_cast<std::int64_t>(labels.size()); ++stride) {
    named.clear();
    bool isClear = true;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (number(i) % stride != 0) continue;
      isClear = isClear && (named.empty() || labels[i].from >= named.back()->to + kApart);
      named.push_back(&labels[i]);
    }
    if (isClear && !named.empty()) break;
  }
  for (const Label* label : named) {
    if (label->from < leftEnd) continue;
    painter.drawText(QPointF(label->from, base), label->tick->label);
  }
}

}  // namespace

void paintLabels(QPainter& painter, const Projection& left, const Projection& right, const AxisTicks& ticks,
                 double width, const Theme& theme) {
  const QRectF& plot = left.plot;
  painter.setFont(interfaceFont(10));
  painter.setPen(theme.dim);
  for (const Tick& tick : ticks.left) {
    const QRectF box(0, left.py(tick.value) - kHalf, plot.left() - kLabelGap, 2 * kHalf);
    painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip, tick.label);
  }
  for (const Tick& tick : ticks.right) {
    const QRectF box(plot.right() + kLabelGap, right.py(tick.value) - kHalf, width - plot.right() - kLabelGap,
                     2 * kHalf);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, tick.label);
  }
  paintBelow(painter, left, ticks, width);
}

}  // namespace batchscope::desktop
