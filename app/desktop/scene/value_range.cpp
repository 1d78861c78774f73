// SPDX-License-Identifier: GPL-3.0-or-later
#include "scene/value_range.h"

#include <algorithm>
#include <cmath>

#include "batchscope/common/quantile.h"
#include "batchscope/common/ticks.h"

namespace batchscope::desktop {
namespace {

constexpr std::size_t kGroup = 7;  // columns
constexpr double kDecades = 10;    // times the lowest value: a linear axis shows the rest as a flat line
constexpr std::size_t kFew = 50;   // values have no outliers

}  // namespace

void ValueRange::add(std::span<const Column> columns) {
  std::vector<double> group;
  for (const Column& column : columns) {
    if (std::isnan(column.mean)) continue;
    values_.push_back(column.low);
    if (column.high != column.low) values_.push_back(column.high);
    group.push_back(column.mean);
    if (group.size() == kGroup) {
      medians_.push_back(common::median(group));
      group.clear();
    }
  }
}

void ValueRange::add(std::span<const NoiseWindow> windows, double factor) {
  for (const NoiseWindow& window : windows) {
    if (window.samples == 0) continue;
    values_.push_back(window.low * factor);
    values_.push_back(window.high * factor);
    medians_.push_back(window.middle * factor);
  }
}

bool ValueRange::spansDecades() {
  if (medians_.empty() && values_.size() < 2) return false;
  const double lowest = values_.empty() ? 0 : *std::min_element(values_.begin(), values_.end());
  std::vector<double>& typical = medians_.empty() ? values_ : medians_;
  const auto [low, high] = std::minmax_element(typical.begin(), typical.end());
  return lowest > 0 && *high >= kDecades * *low;
}

bool ValueRange::isBeyond(double low, double high) const {
  return std::any_of(values_.begin(), values_.end(), [&](double v) { return v < low || v > high; });
}

std::pair<double, double> ValueRange::range(const RangeOptions& options) {
  const double base = options.base;
  if (options.isLog) {
    for (std::vector<double>* list : {&values_, &medians_})
      std::erase_if(*list, [](double v) { return !(v > 0); });
  }
  if (values_.empty()) return options.isLog ? std::pair(1.0, 10.0) : std::pair(base, base + 1);
  const bool isRobust = options.isRobust && values_.size() >= kFew;
  double low = common::quantile(values_, isRobust ? 0.05 : 0),
         high = common::quantile(values_, isRobust ? 0.95 : 1);
  for (const double median : medians_) {
    low = std::min(low, median);
    high = std::max(high, median);
  }
  if (options.isLog) {
    low = std::exp2(std::floor(std::log2(low) + 1e-9));
    high = std::exp2(std::ceil(std::log2(high) - 1e-9));
    return high > low ? std::pair(low, high) : std::pair(low, 2 * low);
  }
  // Charts stand on zero, so that heights compare; zoomed in on detail they need not.
  const bool isCrowded =
      high > low && low > base + 0.7 * (high - base);  // far above it, and not all the same
  const bool isDetail = options.isFromLowest || (options.isZoomed && isCrowded);
  if (low >= 0 && !isDetail) low = base;
  if (!(high > low)) high = low + (low != 0 ? std::abs(low) * 0.1 : 1);
  const double step = common::roundInterval(low, high, 4);
  const double top = std::ceil((high + 0.02 * (high - low)) / step) * step;
  // A base that is not a round number has its line a little above the edge.
  if (low == base && base != 0) return {base - 0.06 * (top - base), top};
  return {std::floor(low / step) * step, top};
}

}  // namespace batchscope::desktop
