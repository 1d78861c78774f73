// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/goodput_curve.h"

#include <QMouseEvent>
#include <algorithm>
#include <limits>

#include "batchscope/common/number_text.h"

namespace batchscope::desktop {
namespace {

constexpr double kAnywhere = std::numeric_limits<double>::quiet_NaN();

}  // namespace

GoodputCurve::GoodputCurve(QWidget* parent) : Figure(parent) {
  setFixedHeight(160);
  setAccessibleName(tr("Goodput over batch size"));
  setPrediction({});
}

void GoodputCurve::setLarge() {
  isLarge_ = true;
  setMinimumSize(220, 120);
  setMaximumHeight(QWIDGETSIZE_MAX);
}

void GoodputCurve::setPrediction(common::GoodputPrediction prediction) {
  prediction_ = std::move(prediction);
  setData(figure());
}

QString GoodputCurve::textOf(const common::OperatingPoint& at) const {
  const QString steps = at.accumulation == 0 ? QString() : tr(" × %1 micro-batches").arg(at.accumulation + 1);
  QString text =
      tr("batch %1 = %2 × %3%4\npredicted throughput %5, efficiency %6\ngoodput %7 samples/s")
          .arg(common::formatCount(at.batchSize))
          .arg(at.replicas)
          .arg(common::formatCount(at.localBatchSize()), steps, common::predictedText(at.throughput),
               common::predictedText(at.efficiency, 2), common::predictedGoodput(at));
  if (const auto limit = prediction_.limits.find(at.limit); limit != prediction_.limits.end())
    text += tr("\nout of reach: %1").arg(limit->second);
  return text;
}

std::int64_t GoodputCurve::accumulationBegins() const {
  const auto found = std::find_if(curve().begin(), curve().end(),
                                  [](const common::OperatingPoint& point) { return point.accumulation > 0; });
  return found == curve().end() ? 0 : found->batchSize;
}

FigureData GoodputCurve::figure() const {
  FigureData data;
  data.missing = tr("No model yet");
  if (curve().size() < 2) return data;
  const auto first = static_cast<double>(curve().front().batchSize);
  const auto last = static_cast<double>(curve().back().batchSize);
  data.isCurve = true;
  data.bottom = {.kind = FigureAxis::Kind::Logarithmic, .low = first, .high = last};
  if (isLarge_) data.bottom.title = tr("batch size");
  data.left = {.low = 0, .isBare = !isLarge_};
  data.right = {.low = 0, .high = 1, .isBare = !isLarge_};

  FigureSeries throughput{.name = tr("throughput"), .ink = {Ink::Series, 1}};
  FigureSeries efficiency{.name = tr("efficiency"), .ink = {Ink::Series, 2}, .isRight = true};
  FigureSeries goodput{.name = tr("goodput"), .ink = {Ink::Series, 0}, .size = 2.2};
  FigureSeries beyond{.name = isLarge_ ? tr("out of reach") : QString(),
                      .ink = {Ink::Faint},
                      .mark = FigureSeries::Mark::Dashed};
  FigureSeries range{.ink = {Ink::Series, 0, 0.15}, .mark = FigureSeries::Mark::Area};
  for (const common::OperatingPoint& point : curve()) {
    const auto batch = static_cast<double>(point.batchSize);
    throughput.points.push_back({batch, point.throughput});
    efficiency.points.push_back({batch, point.efficiency});
    const FigurePoint there{batch, point.goodput, textOf(point)}, gap{batch, kAnywhere};
    goodput.points.push_back(point.isFeasible() ? there : gap);
    beyond.points.push_back(point.isFeasible() ? gap : there);
    if (!point.isFeasible() || !(point.error > 0)) continue;
    range.points.push_back({batch, point.goodput * (1 + point.error)});
    range.lower.push_back(point.goodput / (1 + point.error));
  }
  // Where one pass through a replica no longer holds the batch.
  if (const auto begins = accumulationBegins(); begins > curve().front().batchSize) {
    const auto from = static_cast<double>(begins);
    data.cells.push_back({.box = QRectF(from, 0, last - from, 0), .ink = {Ink::Accent, 0, 0.07}});
    if (isLarge_) data.notes.push_back({from, kAnywhere, tr("accumulation"), {Ink::Faint}});
  }
  if (range.points.size() > 1) data.series.push_back(range);
  data.series.insert(data.series.end(), {throughput, efficiency, goodput});
  if (!prediction_.limits.empty()) data.series.push_back(beyond);
  if (const auto& best = prediction_.best) {
    const auto at = static_cast<double>(best->batchSize);
    data.notes.push_back(
        {at, kAnywhere, tr("best %1").arg(common::bestBatchText(prediction_)), {Ink::Accent}});
    // A batch size that a program fixes is one place on a line that is out of reach.
    data.series.push_back({.ink = {Ink::Series, 0},
                           .mark = FigureSeries::Mark::Dots,
                           .points = {{at, best->goodput}},
                           .size = 5});
    data.description = tr("Predicted best batch size %1 with %2 samples per second")
                           .arg(common::bestBatchText(prediction_), common::formatNumber(best->goodput));
  }
  if (prediction_.now && prediction_.measured) {
    const auto at = std::clamp(static_cast<double>(prediction_.now->batchSize), first, last);
    data.series.push_back({.name = isLarge_ ? tr("measured") : QString(),
                           .ink = {Ink::Accent},
                           .mark = FigureSeries::Mark::Rings,
                           .points = {{at, *prediction_.measured,
                                       tr("measured now at batch %1:\ngoodput %2 samples/s")
                                           .arg(common::formatCount(prediction_.now->batchSize),
                                                common::formatNumber(*prediction_.measured))}},
                           .size = 9});
  }
  return data;
}

void GoodputCurve::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) Q_EMIT clicked();
}

}  // namespace batchscope::desktop
