// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/figure_axes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "batchscope/common/number_text.h"
#include "batchscope/common/ticks.h"
#include "chart/axis.h"

namespace batchscope::desktop {
namespace {

constexpr double kMargin = 0.02;   // of a linear one that ends where the data do
constexpr double kDotRoom = 0.05;  // of a linear axis, between a dot and its end
constexpr double kPad = 0.04;      // of a logarithmic axis, beyond what is drawn

// Powers of ten, and 2 and 5 times them where there is room.
std::vector<Tick> decadeTicks(double low, double high, int most) {
  const bool isDense = std::log10(high / low) * 3 > most + 2;
  std::vector<Tick> ticks;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10) {
    for (const double value : {power, 2 * power, 5 * power})
      if (value >= low && value <= high && (value == power || !isDense))
        ticks.push_back({value, common::formatNumber(value, 1)});
  }
  return ticks;
}

// The ends of an axis that has none, around all that is drawn.
class Extent {
 public:
  explicit Extent(FigureAxis& axis) : axis_(axis) {}

  void add(double value, bool isDot = false) {
    if (!std::isfinite(placeOn(axis_, value))) return;
    hasDots_ |= isDot;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }

  void finish(bool isRounded) const {
    double low = low_, high = high_;
    if (!(high >= low)) low = axis_.isLogarithmic() ? 1 : 0, high = axis_.isLogarithmic() ? 10 : 1;
    if (axis_.isLogarithmic()) {
      const double beyond = std::pow(std::max(high / low, 1.5), kPad);
      low /= beyond;
      high *= beyond;
    } else {
      if (low > 0 && low < 0.5 * high) low = 0;
      if (!(high > low)) high = low + (low == 0 ? 1 : 0.1 * std::abs(low));
      if (isRounded) {
        const double step =
            common::roundInterval(axis_.low.value_or(low), axis_.high.value_or(high), kTicksUp);
        low = std::floor(low / step) * step;
        high = std::ceil(high / step) * step;
      } else {
        high += kMargin * (high - low);
      }
      if (hasDots_) {  // which are whole
        const double room = kDotRoom * (high - low);
        low = std::min(low, low_ - room);
        high = std::max(high, high_ + room);
      }
    }
    if (!axis_.low) axis_.low = low;
    if (!axis_.high) axis_.high = high;
    if (!(*axis_.high > *axis_.low)) axis_.high = *axis_.low + 1;
  }

 private:
  FigureAxis& axis_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
  bool hasDots_ = false;
};

}  // namespace

FigureAxes axesOf(const FigureData& data) {
  FigureAxes axes{data.bottom, data.left, data.right};
  Extent bottom(axes.bottom), left(axes.left), right(axes.right);
  for (const FigureSeries& series : data.series) {
    const bool isDots = series.mark == FigureSeries::Mark::Dots;
    for (const FigurePoint& point : series.points) {
      bottom.add(point.x, isDots);
      (series.isRight ? right : left).add(point.y, isDots);
    }
  }
  for (const FigureCell& cell : data.cells) {
    for (const double x : {cell.box.left(), cell.box.right()}) bottom.add(x);
    if (cell.box.height() > 0)
      for (const double y : {cell.box.top(), cell.box.bottom()}) left.add(y);
  }
  if (!data.bars.empty()) {
    const std::size_t count = data.bars.front().values.size();
    for (std::size_t bar = 0; bar < count; ++bar) {
      double sum = 0;
      for (const FigurePart& part : data.bars) sum += part.values[bar];
      bottom.add(0);
      bottom.add(sum);
    }
    axes.left.low = -0.5;
    axes.left.high = static_cast<double>(count) - 0.5;
  }
  bottom.finish(!data.bars.empty());
  left.finish(data.left.ticks.empty());
  right.finish(true);
  return axes;
}

QList<QPointF> FigureAxes::placesOf(const FigureSeries& series) const {
  QList<QPointF> places;
  for (const FigurePoint& point : series.points)
    places << QPointF(placeOn(bottom, point.x), placeOn(upOf(series), point.y));
  return places;
}

double placeOn(const FigureAxis& axis, double value) {
  if (!axis.isLogarithmic()) return value;
  return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<Tick> ticksOf(const FigureAxis& axis, int most) {
  if (!axis.ticks.empty()) return axis.ticks;
  switch (axis.kind) {
    case FigureAxis::Kind::Logarithmic: return logTicks(*axis.low, *axis.high, most);
    case FigureAxis::Kind::Decades: return decadeTicks(*axis.low, *axis.high, most);
    case FigureAxis::Kind::LogarithmicTime: return logTimeTicks(*axis.low, *axis.high, most);
    case FigureAxis::Kind::Time: return timeTicks(*axis.low, *axis.high, most);
    default: return linearTicks(*axis.low, *axis.high, most);
  }
}

}  // namespace batchscope::desktop
