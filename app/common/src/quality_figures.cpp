// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/quality_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "batchscope/common/number_text.h"
#include "batchscope/common/run_series.h"
#include "batchscope/common/translate.h"
#include "batchscope/protocol/series.h"

namespace batchscope::common {
namespace {

constexpr int kMostPoints = 400;                          // of a generation
constexpr double kTargets[] = {0.8, 0.9, 0.95, 0.99, 1};  // of the best accuracy

double costOf(Cost cost, const QualityPoint& point) {
  return cost == Cost::Samples ? point.samples : cost == Cost::Seconds ? point.seconds : point.epoch;
}

double bestOf(const QualityRun& run) {
  double best = 0;
  for (const QualityPoint& point : run.points) best = std::max(best, point.accuracy);
  return best;
}

// Seconds; NaN: never.
double reachedAfter(const QualityRun& run, double accuracy) {
  for (const QualityPoint& point : run.points)
    if (point.accuracy >= accuracy) return point.seconds;
  return std::numeric_limits<double>::quiet_NaN();
}

// Accuracies differ by less than whole percents.
QString accuracyText(double accuracy) { return formatPercent(accuracy, 3); }

}  // namespace

std::vector<QualityPoint> qualityOf(RunSeries& series) {
  std::vector<QualityPoint> points;
  for (const GenerationSpan& span : series.generations()) {
    if (span.last == 0) continue;
    for (const storage::Bucket& bucket :
         series.buckets(protocol::series::kAccuracy, span.number, span.first, span.last, kMostPoints)) {
      if (bucket.last_step >= span.lostFrom || !std::isfinite(bucket.mean)) continue;
      const StepRef at{span.number, bucket.last_step};
      const auto by = [&](const char* count) { return series.countAt(count, at).value_or(0); };
      points.push_back({by(protocol::series::kSamples), by(protocol::series::kTime),
                        by(protocol::series::kEpoch), bucket.mean});
    }
  }
  return points;
}

FigureData accuracyOver(Cost cost, const std::vector<QualityRun>& runs) {
  FigureData data;
  data.missing = tr("No accuracy recorded: a program that validates after each epoch reports it.");
  data.table.columns = {"run", "samples", "seconds", "epoch", "accuracy"};
  for (const QualityRun& run : runs) {
    if (run.points.empty()) continue;
    FigureSeries line{.ink = run.ink, .mark = FigureSeries::Mark::DottedLine};
    if (runs.size() > 1) line.name = run.name;
    for (const QualityPoint& point : run.points) {
      data.table.rows.push_back(
          {run.name.toStdString(), point.samples, point.seconds, point.epoch, point.accuracy});
      line.points.push_back({costOf(cost, point), 100 * point.accuracy,
                             tr("%1accuracy %2 after %3 samples,\n%4, %5 epochs")
                                 .arg(runs.size() > 1 ? run.name + QStringLiteral(":\n") : QString(),
                                      accuracyText(point.accuracy), formatCount(std::llround(point.samples)),
                                      formatClock(point.seconds), formatNumber(point.epoch))});
    }
    data.series.push_back(std::move(line));
  }
  if (data.series.empty()) return data;
  data.bottom = {.kind = cost == Cost::Seconds ? FigureAxis::Kind::Time : FigureAxis::Kind::Linear,
                 .title = cost == Cost::Samples  ? tr("samples")
                          : cost == Cost::Epochs ? tr("statistical epoch")
                                                 : QString(),
                 .low = 0};
  data.description = tr("%1 in the end").arg(accuracyText(data.series.front().points.back().y / 100));
  return data;
}

FigureData timeToTarget(const std::vector<QualityRun>& all) {
  FigureData data;
  data.missing = tr("No accuracy recorded: a program that validates after each epoch reports it.");
  std::vector<QualityRun> runs;
  std::copy_if(all.begin(), all.end(), std::back_inserter(runs),
               [](const QualityRun& run) { return !run.points.empty(); });
  if (runs.empty()) return data;
  data.table.columns = {"run", "accuracy", "seconds"};
  const auto addBar = [&](const QString& name, const QString& text, const QualityRun& run, double accuracy,
                          double seconds) {
    data.table.rows.push_back({run.name.toStdString(), accuracy, cellOf(seconds)});
    const std::size_t bar = data.barTexts.size();
    data.left.ticks.push_back({static_cast<double>(bar), name});
    data.barTexts.push_back(text);
    // Bars of one colour are a part; each run has its own.
    const auto part = std::find_if(data.bars.begin(), data.bars.end(),
                                   [&](const FigurePart& each) { return each.ink == run.ink; });
    FigurePart& own = part == data.bars.end() ? data.bars.emplace_back(FigurePart{{}, run.ink, {}}) : *part;
    own.values.resize(bar, 0);
    own.values.push_back(seconds);
  };
  if (runs.size() == 1) {
    const QualityRun& run = runs.front();
    for (const double share : kTargets) {
      const double target = share * bestOf(run), seconds = reachedAfter(run, target);
      addBar(accuracyText(target),
             tr("%1 reached after %2").arg(accuracyText(target), formatDuration(seconds)), run, target,
             seconds);
    }
    data.description = tr("%1 reached after %2")
                           .arg(accuracyText(bestOf(run)), formatDuration(reachedAfter(run, bestOf(run))));
  } else {
    double target = 1;
    for (const QualityRun& run : runs) target = std::min(target, bestOf(run));
    data.left.title = tr("to %1").arg(accuracyText(target));
    // The first run on top.
    std::reverse(runs.begin(), runs.end());
    for (const QualityRun& run : runs) {
      const double seconds = reachedAfter(run, target);
      addBar(run.name,
             tr("%1:\n%2 reached after %3").arg(run.name, accuracyText(target), formatDuration(seconds)), run,
             target, seconds);
    }
    data.description = tr("All %1 runs reached %2").arg(runs.size()).arg(accuracyText(target));
  }
  for (FigurePart& part : data.bars) part.values.resize(data.barTexts.size(), 0);
  data.bottom = {.kind = FigureAxis::Kind::Time, .low = 0};
  return data;
}

}  // namespace batchscope::common
