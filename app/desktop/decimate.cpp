// SPDX-License-Identifier: GPL-3.0-or-later
#include "decimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace batchscope::desktop {
namespace {

// What falls into one pixel column.
struct Column {
  std::int64_t index = 0;
  std::int64_t count = 0;
  double x = 0;  // where its only bucket is, else its middle
  double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
};

class Builder {
 public:
  Builder(const XMap& map, const Projection& projection, double smoothing)
      : map_(map), projection_(projection) {
    const double constant = 2 * smoothing / (1 - smoothing);
    decay_ = constant > 0 ? std::exp(-1 / constant) : 0;
  }

  void add(const Bucket& bucket, double factor) {
    const double step = (static_cast<double>(bucket.first_step) + static_cast<double>(bucket.last_step)) / 2;
    if (!(column_.count > 0 && step < nextColumn_)) {
      const double px = projection_.px(map_.at(step));
      if (!std::isfinite(px)) return;
      const auto index = static_cast<std::int64_t>(std::floor(px));
      if (column_.count > 0 && column_.index != index) flush();
      if (column_.count == 0) column_ = {.index = index, .x = px};
      nextColumn_ = map_.stepAt(projection_.xAt(static_cast<double>(index + 1)));
    }
    result_.samples += bucket.count;
    if (std::isnan(bucket.mean)) {
      breakLine();
      return;
    }
    if (column_.count > 0) column_.x = static_cast<double>(column_.index) + 0.5;
    const double low = bucket.min * factor, high = bucket.max * factor;
    column_.low = std::min(column_.low, low);
    column_.high = std::max(column_.high, high);
    column_.sum += bucket.mean * factor * static_cast<double>(bucket.count);
    column_.count += bucket.count;
  }

  Polylines finish() {
    breakLine();
    return std::move(result_);
  }

 private:
  void flush() {
    if (column_.count == 0) return;
    const double low = projection_.py(column_.low), high = projection_.py(column_.high);
    const double mean = column_.sum / static_cast<double>(column_.count);
    const double x = column_.x;
    if (std::isfinite(low) && std::isfinite(high)) {
      if (low == high) {
        raw_ << QPointF(x, low);
      } else if (raw_.isEmpty() || std::abs(raw_.last().y() - low) <= std::abs(raw_.last().y() - high)) {
        raw_ << QPointF(x, low) << QPointF(x, high);
      } else {
        raw_ << QPointF(x, high) << QPointF(x, low);
      }
    }
    const double keep = std::pow(decay_, weight_ > 0 ? std::max(x - lastX_, 1e-3) : 1.0);
    average_ = keep * average_ + (1 - keep) * mean;
    weight_ = keep * weight_ + (1 - keep);
    lastX_ = x;
    if (const double y = projection_.py(average_ / weight_); std::isfinite(y)) smooth_ << QPointF(x, y);
    column_.count = 0;
  }

  void breakLine() {
    flush();
    result_.points += raw_.size();
    if (!raw_.isEmpty()) result_.raw.push_back(std::exchange(raw_, {}));
    if (!smooth_.isEmpty()) result_.smooth.push_back(std::exchange(smooth_, {}));
  }

  const XMap& map_;
  const Projection& projection_;
  double nextColumn_ = 0;  // the step at which it begins: asking for every bucket's place costs a search each
  double decay_ = 0;
  double average_ = 0, weight_ = 0, lastX_ = 0;
  Column column_;
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

Polylines decimate(std::span<const Bucket> buckets, const XMap& map, const Projection& projection,
                   double factor, double smoothing) {
  Builder builder(map, projection, smoothing);
  for (const Bucket& bucket : buckets) builder.add(bucket, factor);
  return builder.finish();
}

}  // namespace batchscope::desktop
