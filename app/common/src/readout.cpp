// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/readout.h"

#include <cmath>

#include "batchscope/common/number_text.h"
#include "batchscope/common/translate.h"
#include "batchscope/protocol/series.h"

namespace batchscope::common {

namespace series = protocol::series;

std::vector<ReadoutRow> readoutRows() {
  return {{.label = tr("Gain"), .series = series::kGain, .bound = series::kScale},
          {.label = tr("Noise scale"), .series = series::kNoiseScale},
          {.label = tr("Learning rate"), .series = series::kLearningRate},
          {.label = tr("Batch size"), .series = series::kBatchSize, .unit = tr("samples")},
          {.label = tr("Throughput"), .series = series::kThroughput, .unit = tr("samples/s")},
          {.label = tr("Goodput"), .series = series::kGoodput, .unit = tr("samples/s")},
          {.label = tr("Efficiency"), .series = series::kEfficiency},
          {.label = tr("Loss"), .series = series::kLoss},
          {.label = tr("Step time"), .series = series::kStepTime, .unit = tr("ms"), .factor = 1000},
          {.label = tr("predicted"),
           .series = series::kModelStepTime,
           .unit = tr("ms"),
           .factor = 1000,
           .isPredicted = true}};
}

QString readoutText(const ReadoutRow& row, double value, double bound) {
  QString text = formatNumber(row.factor * value);
  if (std::isnan(value)) return text;
  if (row.isPredicted) text = tr("≈ %1").arg(text);
  if (!row.bound.empty() && !std::isnan(bound))
    text = tr("%1 of %2").arg(text, formatNumber(row.factor * bound));
  return row.unit.isEmpty() ? text : tr("%1 %2").arg(text, row.unit);
}

protocol::Json readoutJson() {
  protocol::Json list = protocol::Json::array();
  for (const ReadoutRow& row : readoutRows()) {
    protocol::Json json{{"label", row.label.toStdString()}, {"series", row.series}};
    if (!row.unit.isEmpty()) json["unit"] = row.unit.toStdString();
    if (row.factor != 1) json["factor"] = row.factor;
    if (!row.bound.empty()) json["bound"] = row.bound;
    if (row.isPredicted) json["isPredicted"] = true;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace batchscope::common
