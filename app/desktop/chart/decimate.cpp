// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/decimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace batchscope::desktop {
namespace {

class Builder {
 public:
  Builder(const Projection& projection, double smoothing) : projection_(projection), smooths_(smoothing > 0) {
    if (smooths_) decay_ = std::exp(-(1 - smoothing) / (2 * smoothing));
  }

  void add(const Column& column) {
    result_.samples += column.samples;
    if (std::isnan(column.mean)) {
      breakLine();
      return;
    }
    const double low = projection_.py(column.low), high = projection_.py(column.high);
    if (std::isfinite(low) && std::isfinite(high)) {
      if (low == high) {
        raw_ << QPointF(column.x, low);
      } else if (raw_.isEmpty() || std::abs(raw_.last().y() - low) <= std::abs(raw_.last().y() - high)) {
        raw_ << QPointF(column.x, low) << QPointF(column.x, high);
      } else {
        raw_ << QPointF(column.x, high) << QPointF(column.x, low);
      }
    }
    if (smooths_) smooth(column);
  }

  Polylines finish() {
    breakLine();
    return std::move(result_);
  }

 private:
  void smooth(const Column& column) {
    const double distance = weight_ > 0 ? std::max(column.x - lastX_, 1e-3) : 1.0;
    const double keep = distance == 1 ? decay_ : std::pow(decay_, distance);
    average_ = keep * average_ + (1 - keep) * column.mean;
    weight_ = keep * weight_ + (1 - keep);
    lastX_ = column.x;
    if (const double y = projection_.py(average_ / weight_); std::isfinite(y))
      smooth_ << QPointF(column.x, y);
  }

  void breakLine() {
    result_.points += raw_.size();
    if (!raw_.isEmpty()) result_.raw.push_back(std::exchange(raw_, {}));
    if (!smooth_.isEmpty()) result_.smooth.push_back(std::exchange(smooth_, {}));
  }

  const Projection& projection_;
  const bool smooths_;
  double decay_ = 0;
  double average_ = 0, weight_ = 0, lastX_ = 0;
  QPolygonF raw_, smooth_;
  Polylines result_;
};

}  // namespace

double Projection::px(double x) const {
  if (!logX) return plot.left() + (x - x0) / (x1 - x0) * plot.width();
  if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  return plot.left() + std::log(x / x0) / std::log(x1 / x0) * plot.width();
}

double Projection::xAt(double px) const {
  const double share = (px - plot.left()) / plot.width();
  return logX ? x0 * std::pow(x1 / x0, share) : x0 + share * (x1 - x0);
}

double Projection::py(double y) const {
  if (log) {
    if (!(y > 0)) return std::numeric_limits<double>::quiet_NaN();
    return plot.bottom() - (std::log(y) - std::log(y0)) / (std::log(y1) - std::log(y0)) * plot.height();
  }
  return plot.bottom() - (y - y0) / (y1 - y0) * plot.height();
}

ColumnSteps::ColumnSteps(const XMap& map, const Projection& projection)
    : map_(map),
      projection_(projection),
      first_(static_cast<std::int64_t>(std::floor(projection.plot.left()))) {
  const auto last = static_cast<std::int64_t>(std::ceil(projection.plot.right()));
  for (std::int64_t index = first_; index <= last; ++index)
    steps_.push_back(map.stepAt(projection.xAt(static_cast<double>(index))));
}

std::optional<ColumnSteps::Place> ColumnSteps::place(double step) const {
  const auto next = std::upper_bound(steps_.begin(), steps_.end(), step);
  if (next != steps_.begin() && next != steps_.end())
    return Place{first_ + (next - steps_.begin()) - 1, *next};
  // Beside the plot, and the last step, which no column ends behind.
  const double x = px(step);
  if (!std::isfinite(x)) return {};
  return Place{static_cast<std::int64_t>(std::floor(x)), step};
}

std::vector<Column> columnsOf(std::span<const Bucket> buckets, const ColumnSteps& steps, double factor) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<Column> columns;
  Column column;
  double first = 0, end = -kInfinity;  // steps of the column
  const auto close = [&] {
    if (column.buckets == 0) return;
    column.mean /= static_cast<double>(column.samples);
    column.x = column.buckets > 1 ? static_cast<double>(column.index) + 0.5 : steps.px(first);
    columns.push_back(column);
    column.buckets = 0;
  };
  for (const Bucket& bucket : buckets) {
    const double step = (static_cast<double>(bucket.first_step) + static_cast<double>(bucket.last_step)) / 2;
    if (!(step < end) || std::isnan(bucket.mean)) {
      const auto place = steps.place(step);
      if (!place) continue;
      if (column.buckets == 0 || column.index != place->index || std::isnan(bucket.mean) ||
          std::isnan(column.mean)) {
        close();
        column = {.index = place->index, .low = kInfinity, .high = -kInfinity};
        first = step;
      }
      end = std::isnan(bucket.mean) ? -kInfinity : place->end;
    }
    ++column.buckets;
    column.samples += bucket.count;
    column.low = std::min(column.low, bucket.min * factor);
    column.high = std::max(column.high, bucket.max * factor);
    column.mean += bucket.mean * factor * static_cast<double>(bucket.count);
  }
  close();
  return columns;
}

Polylines decimate(std::span<const Column> columns, const Projection& projection, double smoothing) {
  Builder builder(projection, smoothing);
  for (const Column& column : columns) builder.add(column);
  return builder.finish();
}

}  // namespace batchscope::desktop
