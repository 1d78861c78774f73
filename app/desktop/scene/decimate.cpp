// SPDX-License-Identifier: GPL-3.0-or-later
#include "scene/decimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "batchscope/common/quantile.h"

namespace batchscope::desktop {
namespace {

constexpr double kHole = 4;        // times the usual distance between columns
constexpr double kLeastHole = 12;  // pixels, or steps

}  // namespace

double Projection::xAt(double px) const {
  const double share = (px - plot.left()) / plot.width();
  return logX ? x0 * std::pow(x1 / x0, share) : x0 + share * (x1 - x0);
}

ColumnSteps::ColumnSteps(const common::StepMap& map, const Projection& projection)
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
  // Steps beside the plot, and the last one, behind which no column ends, are placed by their pixel.
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
        column.first = static_cast<double>(bucket.first_step);
        first = step;
      }
      end = std::isnan(bucket.mean) ? -kInfinity : place->end;
    }
    ++column.buckets;
    column.last = static_cast<double>(bucket.last_step);
    column.samples += bucket.count;
    column.low = std::min(column.low, bucket.min * factor);
    column.high = std::max(column.high, bucket.max * factor);
    column.mean += bucket.mean * factor * static_cast<double>(bucket.count);
  }
  close();
  return columns;
}

void markHoles(std::span<Column> columns, bool isLogX) {
  if (columns.size() < 3) return;
  const auto distance = [&](std::size_t i) {
    return isLogX ? columns[i].first - columns[i - 1].last : columns[i].x - columns[i - 1].x;
  };
  std::vector<double> distances;
  for (std::size_t i = 1; i < columns.size(); ++i) distances.push_back(distance(i));
  const double most = std::max(kLeastHole, kHole * common::median(distances));
  for (std::size_t i = 1; i < columns.size(); ++i) columns[i].isAfterHole = distance(i) > most;
}

Polylines decimate(std::span<const Column> columns, const Projection& projection, double smoothing,
                   Join join) {
  Polylines lines;
  QPolygonF raw, smooth;
  const double decay = smoothing > 0 ? std::exp(-(1 - smoothing) / (2 * smoothing)) : 0;
  double average = 0, weight = 0, lastX = 0;
  const auto breakLine = [&] {
    lines.points += raw.size();
    if (!raw.isEmpty()) lines.raw.push_back(std::exchange(raw, {}));
    if (!smooth.isEmpty()) lines.smooth.push_back(std::exchange(smooth, {}));
  };
  for (const Column& column : columns) {
    lines.samples += column.samples;
    // A value that holds until the next one has no holes.
    if (std::isnan(column.mean) || (column.isAfterHole && join != Join::Steps)) breakLine();
    if (std::isnan(column.mean)) continue;
    const double low = projection.py(column.low), high = projection.py(column.high);
    if (std::isfinite(low) && std::isfinite(high)) {
      if (join == Join::Steps && !raw.isEmpty()) {
        // A constant stretch keeps only its ends.
        if (raw.size() > 1 && raw.last().y() == raw[raw.size() - 2].y()) raw.removeLast();
        raw << QPointF(column.x, raw.last().y());
        if (low == raw.last().y() && low == high) continue;
      }
      const bool isUpwards =
          raw.isEmpty() || std::abs(raw.last().y() - low) <= std::abs(raw.last().y() - high);
      raw << QPointF(column.x, isUpwards ? low : high);
      if (low != high) raw << QPointF(column.x, isUpwards ? high : low);
    }
    if (!(smoothing > 0)) continue;
    const double distance = weight > 0 ? std::max(column.x - lastX, 1e-3) : 1.0;
    const double keep = distance == 1 ? decay : std::pow(decay, distance);
    average = keep * average + (1 - keep) * column.mean;
    weight = keep * weight + (1 - keep);
    lastX = column.x;
    if (const double y = projection.py(average / weight); std::isfinite(y)) smooth << QPointF(column.x, y);
  }
  breakLine();
  return lines;
}

}  // namespace batchscope::desktop
