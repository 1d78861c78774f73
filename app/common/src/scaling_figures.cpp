// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/scaling_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "batchscope/common/goodput_prediction.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/quantile.h"
#include "batchscope/common/run_text.h"
#include "batchscope/common/translate.h"
#include "batchscope/run/model.h"

namespace batchscope::common {
namespace {

using Mark = FigureSeries::Mark;

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
constexpr int kColumns = 26;     // of the map
constexpr int kMostMapped = 16;  // of the map and the curve, but for those that were used
constexpr int kLeastReplicas = 4;
constexpr Ink kUnknown{Ink::Faint, 0, 0.3};
constexpr double kApart = 0.02;  // of a learning rate, between two dots

QString noModel() { return tr("No model yet: it is fitted once a few steps have been measured."); }
QString noSteps() { return tr("No step recorded yet."); }

int mostReplicas(const protocol::Model& model, const std::vector<Moment>& moments) {
  int used = std::max(kLeastReplicas, model.max_profiled_replicas);
  for (const Moment& moment : moments) used = std::max(used, moment.replicas);
  return std::max(std::min(used + used / 2, kMostMapped), used);
}

std::vector<Tick> wholeTicks(int most) {
  std::vector<Tick> ticks;
  const int stride = 1 + (most - 1) / 8;
  for (int i = stride; i <= most; i += stride) ticks.push_back({double(i), formatCount(i)});
  return ticks;
}

// Where the run went on at another batch size or on other replicas.
std::vector<Moment> stopsOf(const std::vector<Moment>& moments) {
  std::vector<Moment> stops;
  for (const Moment& moment : moments) {
    if (!stops.empty() && stops.back().batch == moment.batch && stops.back().replicas == moment.replicas)
      continue;
    stops.push_back(moment);
  }
  return stops;
}

// Returns whether the model has an answer there.
bool hasGoodput(const common::OperatingPoint& point) { return std::isfinite(point.goodput); }

// Where replicas begin to share devices, along the bottom or up the left side.
void addLimit(FigureData& data, const protocol::Model& model, int most, bool isUp) {
  const int devices = run::counted_devices(model);
  if (devices < 1 || devices >= most) return;
  const double at = devices + 0.5;
  const QString text = model.devices < 1 ? tr("measured up to %1").arg(devices)
                       : devices == 1    ? tr("1 device")
                                         : tr("%1 devices").arg(devices);
  data.notes.push_back(isUp ? FigureNote{kGap, at, text, {Ink::Warning}}
                            : FigureNote{at, kGap, text, {Ink::Warning}});
}

}  // namespace

FigureData goodputMap(const protocol::Model* model, const std::vector<Moment>& moments,
                      const std::vector<run::StepTime>& measured) {
  FigureData data;
  data.missing = noModel();
  if (model == nullptr || !model->perf) return data;
  const int most = mostReplicas(*model, moments);
  data.bottom = {.kind = FigureAxis::Kind::Logarithmic, .title = tr("batch size")};
  data.left = {.title = tr("replicas"), .low = 0.5, .high = most + 0.5, .ticks = wholeTicks(most)};

  std::vector<common::OperatingPoint> points;
  std::vector<std::size_t> rows{0};
  for (int replicas = 1; replicas <= most; ++replicas) {
    for (const common::OperatingPoint& point : common::goodputCurve(*model, replicas, kColumns))
      if (!(point.goodput <= 0)) points.push_back(point);
    rows.push_back(points.size());
  }
  std::vector<common::OperatingPoint> known;
  std::ranges::copy_if(points, std::back_inserter(known), hasGoodput);
  if (known.empty()) return data;
  const auto [low, high] = std::ranges::minmax(known, {}, &common::OperatingPoint::goodput);
  // The best of the points that the run may take; the rest is drawn faintly.
  const common::OperatingPoint best = std::ranges::max(known, {}, [](const common::OperatingPoint& point) {
    return std::pair(point.isFeasible(), point.goodput);
  });
  const double span = std::max(high.goodput - low.goodput, 1e-9);
  data.table.columns = {"batch_size", "replicas", "predicted_goodput", "measured_throughput",
                        "run_from_seconds"};
  for (std::size_t row = 0; row + 1 < rows.size(); ++row) {
    for (std::size_t i = rows[row]; i < rows[row + 1]; ++i) {
      const common::OperatingPoint& point = points[i];
      const auto at = static_cast<double>(point.batchSize);
      // A cell reaches half way to its neighbours, by the logarithm.
      const auto towards = [&](std::size_t other) {
        return std::sqrt(at * static_cast<double>(points[other].batchSize));
      };
      const bool hasBefore = i > rows[row], hasAfter = i + 1 < rows[row + 1];
      if (!hasBefore && !hasAfter) continue;
      const double right = hasAfter ? towards(i + 1) : at * at / towards(i - 1);
      const double left = hasBefore ? towards(i - 1) : at * at / right;
      FigureCell cell{.box = QRectF(left, point.replicas - 0.5, right - left, 1), .ink = kUnknown};
      QString& text = cell.text;
      text = tr("%1, batch %2").arg(replicaCount(point.replicas), formatCount(point.batchSize));
      if (hasGoodput(point)) {
        cell.ink = {Ink::Accent, 0,
                    (0.04 + 0.86 * std::pow((point.goodput - low.goodput) / span, 1.5)) *
                        (point.isFeasible() ? 1 : 0.35)};
        text += tr("\npredicted goodput %1 samples/s").arg(common::predictedGoodput(point));
      } else {
        text += tr("\npredicted goodput not known");
      }
      if (!point.isFeasible())
        text += tr("\nout of reach: %1").arg(common::limitText(*model, point.replicas, point.limit));
      data.cells.push_back(std::move(cell));
      data.table.rows.push_back({at, double(point.replicas), cellOf(point.goodput), {}, {}});
    }
  }

  FigureSeries ridge{.name = tr("predicted best"), .ink = {Ink::Dim}, .mark = Mark::Dashed, .size = 1.2};
  for (int replicas = 1; replicas <= most; ++replicas) {
    if (const auto point = common::bestPoint(*model, replicas))
      ridge.points.push_back({static_cast<double>(point->batchSize), double(replicas)});
  }
  const std::vector<Moment> stops = stopsOf(moments);
  FigureSeries way{.name = tr("the run"), .ink = {Ink::Series, 1}, .mark = Mark::DottedLine};
  for (const Moment& stop : stops) {
    way.points.push_back({stop.batch, double(stop.replicas),
                          tr("from %1: %2, batch %3")
                              .arg(formatClock(stop.seconds), replicaCount(stop.replicas),
                                   formatCount(std::llround(stop.batch)))});
    data.table.rows.push_back({stop.batch, double(stop.replicas), {}, {}, cellOf(stop.seconds)});
  }
  FigureSeries rings{.name = tr("measured"), .ink = {Ink::Series, 2}, .mark = Mark::Rings, .size = 12};
  for (const run::StepTime& time : measured) {
    const auto batch = static_cast<double>(time.replicas * time.local_batch_size * (time.accumulation + 1));
    rings.points.push_back({batch, double(time.replicas),
                            tr("%1, batch %2\nmeasured throughput %3 samples/s\nsteps: %4")
                                .arg(replicaCount(time.replicas), formatCount(std::llround(batch)),
                                     formatNumber(batch / time.measured), formatCount(time.steps))});
    data.table.rows.push_back({batch, double(time.replicas), {}, cellOf(batch / time.measured), {}});
  }
  if (ridge.points.size() > 1) data.series.push_back(std::move(ridge));
  if (!rings.points.empty()) data.series.push_back(std::move(rings));
  if (!way.points.empty()) data.series.push_back(std::move(way));
  addLimit(data, *model, most, true);
  if (!stops.empty())
    data.notes.push_back({stops.front().batch, double(stops.front().replicas), tr("start")});
  if (stops.size() > 1)
    data.notes.push_back({stops.back().batch, double(stops.back().replicas), tr("newest")});
  data.description =
      tr("Predicted goodput is highest with %1 and batch size %2: %3 samples per second")
          .arg(replicaCount(best.replicas), formatCount(best.batchSize), formatNumber(best.goodput));
  return data;
}

FigureData batchChoice(const protocol::Model* model, const std::vector<Moment>& moments) {
  FigureData data;
  data.missing = noSteps();
  if (moments.empty()) return data;
  data.isCurve = true;
  data.bottom = {.kind = FigureAxis::Kind::Time, .low = 0, .high = moments.back().seconds};
  data.left = {.kind = FigureAxis::Kind::Logarithmic};
  FigureSeries chosen{.name = tr("chosen"), .ink = {Ink::Series, 0}, .size = 2};
  FigureSeries best{.name = tr("predicted best"), .ink = {Ink::Series, 1}, .mark = Mark::Dashed};
  const auto step = [](FigureSeries& series, const Moment& at, bool isNew, double value,
                       const QString& text) {
    // A line never crosses a restart.
    if (isNew && !series.points.empty())
      series.points.push_back({at.seconds, kGap});
    else if (!series.points.empty())
      series.points.push_back({at.seconds, series.points.back().y});
    series.points.push_back({at.seconds, value, text});
  };
  data.table.columns = {"seconds", "generation", "step", "replicas", "batch_size", "best_batch_size"};
  int generation = -1;
  for (const Moment& moment : moments) {
    FigureTable::Cell bestBatch;
    const bool isNew = moment.generation != generation;
    generation = moment.generation;
    QString text = tr("%1, step %2: batch size %3")
                       .arg(formatClock(moment.seconds), formatCount(moment.step),
                            formatCount(std::llround(moment.batch)));
    if (model != nullptr && model->perf && moment.gradSqr > 0 && moment.gradVar >= 0) {
      protocol::Model then = *model;
      then.grad_sqr = moment.gradSqr;
      then.grad_var = moment.gradVar;
      if (const auto point = bestPoint(then, moment.replicas)) {
        text += tr("\npredicted best: %1").arg(formatCount(point->batchSize));
        step(best, moment, isNew, static_cast<double>(point->batchSize), {});
        bestBatch = static_cast<double>(point->batchSize);
      }
    }
    step(chosen, moment, isNew, moment.batch, text);
    data.table.rows.push_back({cellOf(moment.seconds), double(moment.generation), double(moment.step),
                               double(moment.replicas), moment.batch, bestBatch});
  }
  data.series.push_back(std::move(chosen));
  if (!best.points.empty()) data.series.push_back(std::move(best));
  data.description = tr("The batch size went from %1 to %2")
                         .arg(formatCount(std::llround(moments.front().batch)),
                              formatCount(std::llround(moments.back().batch)));
  return data;
}

FigureData goodputOverReplicas(const protocol::Model* model, const std::vector<Moment>& moments) {
  FigureData data;
  data.missing = noModel();
  if (model == nullptr || !model->perf) return data;
  const int most = mostReplicas(*model, moments);
  data.bottom = {.title = tr("replicas"), .low = 0.5, .high = most + 0.5, .ticks = wholeTicks(most)};
  data.left = {.low = 0};
  addLimit(data, *model, most, false);
  FigureSeries known{.name = tr("predicted"), .ink = {Ink::Series, 0}, .mark = Mark::DottedLine};
  FigureSeries beyond{.name = tr("extrapolated"), .ink = {Ink::Series, 0, 0.6}, .mark = Mark::Dashed};
  FigureSeries range{.name = tr("expected"), .ink = {Ink::Series, 0, 0.15}, .mark = Mark::Area};
  data.table.columns = {"replicas", "batch_size", "predicted_goodput", "generation", "measured_goodput"};
  for (int replicas = 1; replicas <= most; ++replicas) {
    const auto point = common::bestPoint(*model, replicas);
    if (!point) continue;
    data.table.rows.push_back(
        {double(replicas), static_cast<double>(point->batchSize), cellOf(point->goodput), {}, {}});
    FigurePoint at{double(replicas), point->goodput,
                   tr("%1: predicted goodput %2 samples/s\nat batch size %3")
                       .arg(replicaCount(replicas), predictedGoodput(*point), formatCount(point->batchSize))};
    const QString shared = sharingText(*model, replicas);
    if (!shared.isEmpty()) at.text += QLatin1Char('\n') + shared;
    const bool isKnown = replicas <= model->max_profiled_replicas;
    if (!isKnown && beyond.points.empty() && !known.points.empty())
      beyond.points.push_back({known.points.back().x, known.points.back().y});
    (isKnown ? known : beyond).points.push_back(at);
    if (!(point->error > 0)) continue;
    range.points.push_back({double(replicas), point->goodput * (1 + point->error)});
    range.lower.push_back(point->goodput / (1 + point->error));
  }
  if (range.points.size() > 1) data.series.push_back(std::move(range));
  for (FigureSeries* series : {&known, &beyond})
    if (!series->points.empty()) data.series.push_back(*series);

  std::map<int, std::pair<int, std::vector<double>>> generations;
  for (const Moment& moment : moments) {
    if (!std::isfinite(moment.goodput)) continue;
    generations[moment.generation].first = moment.replicas;
    generations[moment.generation].second.push_back(moment.goodput);
  }
  FigureSeries measured{.name = tr("measured"), .ink = {Ink::Series, 1}, .mark = Mark::Rings, .size = 11};
  for (auto& [generation, values] : generations) {
    const double goodput = median(values.second);
    measured.points.push_back({double(values.first), goodput,
                               tr("generation %1, %2:\nmeasured goodput %3 samples/s in the median")
                                   .arg(generation)
                                   .arg(replicaCount(values.first), formatNumber(goodput))});
    data.table.rows.push_back({double(values.first), {}, {}, double(generation), goodput});
  }
  if (!measured.points.empty()) data.series.push_back(std::move(measured));
  data.description = tr("Goodput over the number of replicas, predicted and measured");
  return data;
}

FigureData rateOverBatch(const std::vector<Moment>& moments) {
  FigureData data;
  data.missing = tr("No learning rate recorded yet.");
  FigureSeries dots{.name = tr("as trained"), .ink = {Ink::Series, 0}, .mark = Mark::Dots};
  dots.size = 8;
  // When these were is not known.
  FigureSeries undated{.name = tr("time not known"), .ink = {Ink::Faint}, .mark = Mark::Rings, .size = 8};
  data.table.columns = {"batch_size", "lr", "seconds", "generation", "step"};
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Moment& moment : moments) {
    if (!(moment.learningRate > 0) || !(moment.batch > 0)) continue;
    low = std::min(low, moment.batch);
    high = std::max(high, moment.batch);
    data.table.rows.push_back({moment.batch, moment.learningRate, cellOf(moment.seconds),
                               double(moment.generation), double(moment.step)});
    const bool isDated = std::isfinite(moment.seconds);
    FigureSeries& series = isDated ? dots : undated;
    // One of those that would lie over one another.
    if (!series.points.empty() && series.points.back().x == moment.batch &&
        std::abs(series.points.back().y / moment.learningRate - 1) < kApart)
      continue;
    const QString step = isDated
                             ? tr("%1, step %2").arg(formatClock(moment.seconds), formatCount(moment.step))
                             : tr("step %1").arg(formatCount(moment.step));
    series.points.push_back(
        {moment.batch, moment.learningRate,
         tr("%1\nbatch size %2, learning rate %3")
             .arg(step, formatCount(std::llround(moment.batch)), formatNumber(moment.learningRate))});
    if (isDated) dots.strengths.push_back(moment.seconds);
  }
  if (dots.points.empty() && undated.points.empty()) return data;
  const double end = dots.strengths.empty() ? 1 : std::max(dots.strengths.back(), 1e-9);
  for (double& strength : dots.strengths) strength /= end;
  data.bottom = {.kind = FigureAxis::Kind::Logarithmic, .title = tr("batch size")};
  data.left = {.kind = FigureAxis::Kind::Decades};
  const FigureSeries& shown = dots.points.empty() ? undated : dots;
  const FigurePoint first = shown.points.front(), last = shown.points.back();
  const auto rule = [&](const QString& name, Mark mark, double power) {
    FigureSeries line{.name = name, .ink = {Ink::Dim}, .mark = mark, .size = 1.2};
    for (const double batch : {low, high})
      line.points.push_back({batch, first.y * std::pow(batch / first.x, power)});
    data.series.push_back(std::move(line));
  };
  if (high > low) {
    rule(tr("linear"), Mark::Dotted, 1);
    rule(tr("square root"), Mark::Dashed, 0.5);
  }
  if (!undated.points.empty()) data.series.push_back(std::move(undated));
  if (!dots.points.empty()) data.series.push_back(std::move(dots));
  data.description = tr("Learning rate from %1 to %2").arg(formatNumber(first.y), formatNumber(last.y));
  return data;
}

}  // namespace batchscope::common
