// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/charts.h"

#include <algorithm>
#include <utility>

#include "batchscope/common/derived_series.h"
#include "batchscope/common/series_unit.h"
#include "batchscope/common/translate.h"
#include "batchscope/protocol/series.h"

namespace batchscope::common {
namespace {

namespace names = protocol::series;

QString unitText(const char* series) { return QString::fromUtf8(unitOf(series).name); }

ChartSpec gain() {
  return {.name = "gain",
          .title = tr("Gain"),
          .unit = tr("between 1 and S"),
          .lines = {{.series = names::kGain,
                     .label = tr("gain"),
                     .isSmoothed = true,
                     .isEstimate = true,
                     .low = names::kGainLow,
                     .high = names::kGainHigh},
                    {.series = names::kRawGain,
                     .label = tr("raw"),
                     .colour = 1,
                     .isSmoothed = true,
                     .isEstimate = true,
                     .isOff = true},
                    {.series = names::kScale, .label = tr("S"), .isStepped = true, .isBound = true}},
          .base = 1,
          .bound = 1};
}

ChartSpec batchSize() {
  return {.name = "batch-size",
          .title = tr("Batch size"),
          .unit = tr("samples"),
          .lines = {
              {.series = names::kBatchSize, .label = tr("total"), .isStepped = true},
              {.series = names::kLocalBatchSize, .label = tr("per replica"), .colour = 1, .isStepped = true},
              {.series = names::kAccumulation,
               .label = tr("accumulation"),
               .colour = 3,
               .isStepped = true,
               .isRight = true}}};
}

ChartSpec goodput() {
  return {
      .name = "goodput",
      .title = tr("Goodput"),
      .unit = unitText(names::kGoodput),
      .lines = {{.series = names::kThroughput, .label = tr("throughput"), .colour = 1, .isSmoothed = true},
                {.series = names::kGoodput,
                 .label = tr("goodput"),
                 .isSmoothed = true,
                 .low = kGoodputLow,
                 .high = kGoodputHigh},
                {.series = names::kEfficiency,
                 .label = tr("efficiency"),
                 .colour = 2,
                 .isSmoothed = true,
                 .isRight = true,
                 .low = kEfficiencyLow,
                 .high = kEfficiencyHigh}},
      .subject = names::kGoodput,
      .rightTop = 1,
      .isRobust = true};
}

ChartSpec epochProgress() {
  return {.name = "progress",
          .title = tr("Epoch progress"),
          .unit = tr("iterations"),
          .lines = {{.series = names::kProgress, .label = tr("scale-invariant")},
                    {.series = kStepSeries, .label = tr("steps"), .colour = 1},
                    {.series = names::kEpoch, .label = tr("epoch"), .colour = 2, .isRight = true}},
          .isOverTime = true};
}

ChartSpec loss() {
  return {
      .name = "loss",
      .title = tr("Loss"),
      .unit = {},
      .lines = {{.series = names::kLoss, .label = tr("training"), .colour = 1, .isSmoothed = true},
                {.series = names::kValidationLoss, .label = tr("validation"), .colour = 3, .isSparse = true}},
      .isLogByDefault = true};
}

ChartSpec accuracy() {
  return {.name = "accuracy",
          .title = tr("Accuracy"),
          .unit = unitText(names::kAccuracy),
          .lines = {{.series = names::kAccuracy,
                     .label = tr("accuracy"),
                     .colour = 2,
                     .factor = unitOf(names::kAccuracy).factor,
                     .isSparse = true,
                     .isFromLowest = true}},
          .showing = Showing::Recorded};
}

ChartSpec learningRate() {
  return {.name = "learning-rate",
          .title = tr("Learning rate"),
          .unit = {},
          .lines = {{.series = names::kLearningRate, .label = tr("applied"), .isStepped = true},
                    {.series = kScheduledRate,
                     .label = tr("scheduled"),
                     .colour = 1,
                     .isStepped = true,
                     .isDashed = true},
                    {.series = names::kLearningRateFactor,
                     .label = tr("factor"),
                     .colour = 2,
                     .isStepped = true,
                     .isRight = true}}};
}

ChartSpec gradient() {
  return {.name = "gradient",
          .title = tr("Gradient"),
          .unit = tr("squared norms"),
          .lines = {{.series = names::kGradVar, .label = tr("variance"), .colour = 1, .isSmoothed = true},
                    {.series = names::kGradSqr, .label = tr("true gradient"), .isSmoothed = true}},
          .showing = Showing::Chosen,
          .isRobust = true};
}

ChartSpec modelError() {
  return {.name = "model-error",
          .title = tr("Model error"),
          .unit = tr("% of the predicted step time"),
          .lines = {{.series = names::kModelError, .label = tr("error"), .factor = 100, .isSmoothed = true}},
          .showing = Showing::Chosen,
          .bound = 0,
          .isRobust = true};
}

ChartSpec stepTime() {
  const double ms = unitOf(names::kStepTime).factor;
  return {
      .name = "step-time",
      .title = tr("Step time"),
      .unit = unitText(names::kStepTime),
      .lines =
          {{.series = kComputeTime, .label = tr("compute"), .colour = 1, .factor = ms, .isSmoothed = true},
           {.series = names::kSyncTime, .label = tr("sync"), .colour = 3, .factor = ms, .isSmoothed = true},
           {.series = names::kDataTime, .label = tr("data"), .colour = 2, .factor = ms, .isSmoothed = true},
           {.series = names::kModelStepTime, .label = tr("model"), .factor = ms, .isStepped = true}},
      .isRobust = true};
}

// Few runs have it, so the others' legends do without it.
LineSpec criticalBatchSize() {
  return {.series = names::kCriticalBatchSize, .label = tr("critical"), .colour = 2, .isSparse = true};
}

}  // namespace

ChartSpec scalingRulesChart() {
  return {.name = "rules",
          .title = tr("Rules"),
          .unit = tr("factor on the learning rate"),
          .lines = {{.series = kLinearFactor, .label = tr("Linear"), .colour = 1},
                    {.series = kSqrtFactor, .label = tr("Sqrt"), .colour = 3},
                    {.series = kLegwFactor, .label = tr("LEGW"), .colour = 3, .isDashed = true},
                    {.series = kAdaScaleFactor, .label = tr("AdaScale")},
                    {.series = kAdamScaleFactor, .label = tr("AdamScale"), .isDashed = true},
                    {.series = names::kLearningRateFactor, .label = tr("trained"), .colour = 2}},
          .showing = Showing::Chosen,
          .base = 1,
          .bound = 1};
}

ChartSpec noiseChart() {
  return {.name = "noise",
          .title = tr("Noise scale"),
          .unit = tr("samples"),
          .lines = {{.series = names::kNoiseScale, .label = tr("noise"), .isSmoothed = true},
                    {.series = names::kBatchSize, .label = tr("batch"), .colour = 1, .isStepped = true}},
          .isRobust = true,
          .isLogLog = true};
}

bool ChartSpec::hasRight() const {
  return std::any_of(lines.begin(), lines.end(), [](const LineSpec& line) { return line.isRight; });
}

bool ChartSpec::draws(const std::string& series) const {
  return std::any_of(lines.begin(), lines.end(), [&](const LineSpec& line) { return line.series == series; });
}

std::set<std::string> ChartSpec::series() const {
  std::set<std::string> wanted;
  for (const LineSpec& line : lines) {
    wanted.insert(line.series);
    if (!line.low.empty()) wanted.insert({line.low, line.high});
    if (line.isEstimate) wanted.insert(names::kAccumulation);
  }
  return wanted;
}

std::vector<ChartSpec> runCharts() {
  return {gain(),         batchSize(), goodput(),    epochProgress(),     loss(),     accuracy(),
          learningRate(), stepTime(),  noiseChart(), scalingRulesChart(), gradient(), modelError()};
}

std::vector<ChartSpec> chartsOf(const std::vector<std::string>& recorded) {
  std::vector<ChartSpec> charts = runCharts();
  if (std::ranges::find(recorded, names::kCriticalBatchSize) != recorded.end())
    std::ranges::find(charts, noiseChart().name, &ChartSpec::name)->lines.push_back(criticalBatchSize());
  std::erase_if(charts, [&](const ChartSpec& chart) {
    return chart.showing == Showing::Recorded &&
           std::none_of(recorded.begin(), recorded.end(),
                        [&](const std::string& series) { return chart.draws(series); });
  });
  for (ChartSpec& chart : ownCharts(recorded)) charts.push_back(std::move(chart));
  return charts;
}

}  // namespace batchscope::common
