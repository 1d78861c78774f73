// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/goodput_curve.h"

#include <QMouseEvent>
#include <algorithm>
#include <limits>

#include "look/format.h"

namespace batchscope::desktop {
namespace {

constexpr double kAnywhere = std::numeric_limits<double>::quiet_NaN();

QString textOf(const OperatingPoint& at) {
  const QString steps =
      at.accumulation == 0 ? QString() : GoodputCurve::tr(" × %1 micro-batches").arg(at.accumulation + 1);
  const std::int64_t local = at.batchSize / at.replicas / (at.accumulation + 1);
  return GoodputCurve::tr("batch %1 = %2 × %3%4\nthroughput %5, efficiency %6\ngoodput %7 samples/s")
      .arg(formatCount(at.batchSize))
      .arg(at.replicas)
      .arg(formatCount(local), steps, formatNumber(at.throughput), formatNumber(at.efficiency, 2),
           formatNumber(at.goodput));
}

}  // namespace

GoodputCurve::GoodputCurve(QWidget* parent) : Figure(parent) {
  setFixedHeight(160);
  setAccessibleName(tr("Goodput over batch size"));
  setCurve({}, {}, {});
}

void GoodputCurve::setLarge() {
  isLarge_ = true;
  setMinimumSize(220, 120);
  setMaximumHeight(QWIDGETSIZE_MAX);
}

void GoodputCurve::setCurve(std::vector<OperatingPoint> curve, std::optional<OperatingPoint> now,
                            std::optional<OperatingPoint> best) {
  curve_ = std::move(curve);
  setData(figure(now, best));
}

std::int64_t GoodputCurve::accumulationBegins() const {
  const auto found = std::find_if(curve_.begin(), curve_.end(),
                                  [](const OperatingPoint& point) { return point.accumulation > 0; });
  return found == curve_.end() ? 0 : found->batchSize;
}

FigureData GoodputCurve::figure(const std::optional<OperatingPoint>& now,
                                const std::optional<OperatingPoint>& best) const {
  FigureData data;
  data.missing = tr("No model yet");
  if (curve_.size() < 2) return data;
  const auto first = static_cast<double>(curve_.front().batchSize);
  const auto last = static_cast<double>(curve_.back().batchSize);
  data.isCurve = true;
  data.bottom = {.kind = FigureAxis::Kind::Logarithmic, .low = first, .high = last};
  if (isLarge_) data.bottom.title = tr("batch size");
  data.left = {.low = 0, .isBare = !isLarge_};
  data.right = {.low = 0, .high = 1, .isBare = !isLarge_};

  FigureSeries throughput{.name = tr("throughput"), .ink = {Ink::Series, 1}};
  FigureSeries efficiency{.name = tr("efficiency"), .ink = {Ink::Series, 2}, .isRight = true};
  FigureSeries goodput{.name = tr("goodput"), .ink = {Ink::Series, 0}, .size = 2.2};
  for (const OperatingPoint& point : curve_) {
    const auto batch = static_cast<double>(point.batchSize);
    throughput.points.push_back({batch, point.throughput});
    efficiency.points.push_back({batch, point.efficiency});
    goodput.points.push_back({batch, point.goodput, textOf(point)});
  }
  // Where one pass through a replica no longer holds the batch.
  if (const auto begins = accumulationBegins(); begins > curve_.front().batchSize) {
    const auto from = static_cast<double>(begins);
    data.cells.push_back({.box = QRectF(from, 0, last - from, 0), .ink = {Ink::Accent, 0, 0.07}});
    if (isLarge_) data.notes.push_back({from, kAnywhere, tr("accumulation"), {Ink::Faint}});
  }
  data.series = {throughput, efficiency, goodput};
  if (best) {
    const QString words = tr("best %1").arg(formatCount(best->batchSize));
    data.notes.push_back({static_cast<double>(best->batchSize), kAnywhere, words, {Ink::Accent}});
    data.description = tr("Best batch size %1 with %2 samples per second")
                           .arg(formatCount(best->batchSize), formatNumber(best->goodput));
  }
  if (now) {
    const auto at = std::clamp(static_cast<double>(now->batchSize), first, last);
    data.series.push_back({.ink = {Ink::Series, 0},
                           .mark = FigureSeries::Mark::Rings,
                           .points = {{at, now->goodput}},
                           .size = 9});
    data.notes.push_back({at, now->goodput, tr("now %1").arg(formatCount(now->batchSize))});
  }
  return data;
}

void GoodputCurve::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) Q_EMIT clicked();
}

}  // namespace batchscope::desktop
