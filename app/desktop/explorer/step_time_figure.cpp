// SPDX-License-Identifier: GPL-3.0-or-later
#include "explorer/step_time_figure.h"

#include <algorithm>
#include <map>

#include "batchscope/common/number_text.h"
#include "batchscope/common/translate.h"

namespace batchscope::desktop {
namespace {

constexpr double kAgreement = 0.1, kBeyond = 1.3;

QString textOf(const StepTime& time) {
  return tr("×%1, local batch %2, accumulation %3\nmeasured %4 ms in %5 steps\npredicted %6 ms")
      .arg(time.replicas)
      .arg(common::formatCount(time.local_batch_size))
      .arg(time.accumulation)
      .arg(common::formatNumber(1000 * time.measured), common::formatCount(time.steps),
           common::formatNumber(1000 * time.predicted));
}

}  // namespace

FigureData stepTimeFigure(const std::vector<StepTime>& times) {
  FigureData data;
  data.missing = tr("No step time has been measured yet");
  if (times.empty()) return data;
  double low = times.front().measured, high = low;
  std::map<int, FigureSeries> byReplicas;
  for (const StepTime& time : times) {
    const auto [least, most] = std::minmax(time.measured, time.predicted);
    low = std::min(low, least);
    high = std::max(high, most);
    FigureSeries& series = byReplicas[time.replicas];
    series.points.push_back({1000 * time.predicted, 1000 * time.measured, textOf(time)});
  }
  low *= 1000 / kBeyond;
  high *= 1000 * kBeyond;
  if (!(low > 0)) return data;
  data.bottom = {
      .kind = FigureAxis::Kind::Logarithmic, .title = tr("predicted, ms"), .low = low, .high = high};
  data.left = {.kind = FigureAxis::Kind::Logarithmic, .title = tr("measured, ms"), .low = low, .high = high};
  data.series.push_back({.ink = {Ink::Accent, 0, 0.08},
                         .mark = FigureSeries::Mark::Area,
                         .points = {{low, low * (1 + kAgreement)}, {high, high * (1 + kAgreement)}},
                         .lower = {low * (1 - kAgreement), high * (1 - kAgreement)}});
  data.series.push_back({.ink = {Ink::Dim},
                         .mark = FigureSeries::Mark::Dotted,
                         .points = {{low, low}, {high, high}},
                         .size = 1});
  int colour = 0;
  for (auto& [replicas, series] : byReplicas) {
    series.name = QStringLiteral("×%1").arg(replicas);
    series.ink = {Ink::Series, colour++};
    series.mark = FigureSeries::Mark::Rings;
    series.size = 11;
    data.series.push_back(std::move(series));
  }
  data.description = tr("Mean error %1 over %2 configurations")
                         .arg(common::formatPercent(run::mean_error(times)))
                         .arg(times.size());
  return data;
}

}  // namespace batchscope::desktop
