// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/prediction_figure.h"

#include <cstddef>
#include <optional>
#include <string>

#include "batchscope/common/predictions.h"
#include "batchscope/common/translate.h"

namespace batchscope::common {
namespace {

constexpr std::size_t kMostRestarts = 20;
constexpr double kRangeWidth = 0.5;  // of a range, in restarts

QString textOf(const PredictedRestart& restart) {
  const auto words = [](const std::string& text) { return QString::fromStdString(text); };
  QString text = tr("Restart %1, ×%2\npredicted %3 %4 samples/s")
                     .arg(restart.generation)
                     .arg(restart.replicas)
                     .arg(QLatin1String(restart.what()), words(restart.predictedText));
  if (!restart.expectedText.empty()) text += tr("\nexpected %1").arg(words(restart.expectedText));
  text += tr("\nobtained %1").arg(words(restart.obtainedText));
  if (!restart.changeText.empty()) text += QStringLiteral(" (%1)").arg(words(restart.changeText));
  return text;
}

FigureTable::Cell boolCell(const std::optional<bool>& value) {
  return value ? FigureTable::Cell(std::optional(*value ? 1.0 : 0.0)) : FigureTable::Cell();
}

}  // namespace

FigureData predictedAndObtained(const std::vector<storage::Generation>& generations) {
  FigureData data;
  data.missing = tr("No restart has been predicted yet.");
  Predictions predictions = predictionsOf(generations);
  std::vector<PredictedRestart>& restarts = predictions.restarts;
  if (restarts.empty()) return data;
  if (restarts.size() > kMostRestarts)
    restarts.erase(restarts.begin(), restarts.end() - static_cast<std::ptrdiff_t>(kMostRestarts));

  using Mark = FigureSeries::Mark;
  FigureSeries predicted{.name = tr("predicted"), .ink = {Ink::Series, 0}, .mark = Mark::Rings, .size = 11};
  FigureSeries obtained{.name = tr("obtained"), .ink = {Ink::Series, 1}, .mark = Mark::Dots, .size = 9};
  FigureSeries unexpected{.name = tr("unexpected"), .ink = {Ink::Warning}, .mark = Mark::Dots, .size = 9};
  data.table.columns = {"generation", "replicas", "what",   "predicted", "low",
                        "high",       "obtained", "change", "held"};
  for (const PredictedRestart& restart : restarts) {
    const auto at = static_cast<double>(data.bottom.ticks.size());
    const bool isRanged = restart.error > 0;
    data.bottom.ticks.push_back({at, tr("%1: ×%2").arg(restart.generation).arg(restart.replicas)});
    const QString text = textOf(restart);
    if (isRanged)
      data.cells.push_back(
          {.box = QRectF(at - kRangeWidth / 2, restart.low(), kRangeWidth, restart.high() - restart.low()),
           .ink = {Ink::Series, 0, 0.15},
           .text = text});
    predicted.points.push_back({at, restart.predicted, text});
    if (restart.obtained)
      (restart.held() == false ? unexpected : obtained).points.push_back({at, *restart.obtained, text});
    data.table.rows.push_back(
        {double(restart.generation), double(restart.replicas), std::string(restart.what()), restart.predicted,
         isRanged ? cellOf(restart.low()) : FigureTable::Cell(),
         isRanged ? cellOf(restart.high()) : FigureTable::Cell(), FigureTable::Cell(restart.obtained),
         FigureTable::Cell(restart.change()), boolCell(restart.held())});
  }
  data.bottom.low = -0.6;
  data.bottom.high = static_cast<double>(restarts.size()) - 0.4;
  data.left = {.low = 0};
  for (FigureSeries* series : {&predicted, &obtained, &unexpected})
    if (!series->points.empty()) data.series.push_back(std::move(*series));
  data.description = predictions.summary.empty() ? tr("Nothing was obtained of a prediction yet")
                                                 : QString::fromStdString(predictions.summary);
  return data;
}

}  // namespace batchscope::common
