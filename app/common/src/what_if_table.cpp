// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/what_if_table.h"

#include <cmath>
#include <limits>

#include "batchscope/common/number_text.h"
#include "batchscope/common/translate.h"

namespace batchscope::common {
namespace {

constexpr double kUnknownRate = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::vector<WhatIfRow> whatIfTable(const std::optional<OperatingPoint>& present,
                                   const std::optional<run::MeasuredRate>& measured,
                                   const GoodputPrediction& prediction) {
  const auto& best = prediction.best;
  const auto rate = [&](double run::MeasuredRate::*value) {
    return measured ? (*measured).*value : kUnknownRate;
  };
  const auto count = [](const std::optional<OperatingPoint>& point, auto value) {
    return point ? formatCount(value(*point)) : formatNumber(kUnknownRate);
  };
  const auto local = [](const OperatingPoint& point) { return point.localBatchSize(); };
  const auto accumulation = [](const OperatingPoint& point) { return point.accumulation; };
  const double step =
      best && best->throughput > 0 ? static_cast<double>(best->batchSize) / best->throughput : kUnknownRate;
  const QString unknown = predictedText(kUnknownRate);
  return {{tr("Goodput, samples/s"), formatNumber(rate(&run::MeasuredRate::goodput)),
           best ? predictedGoodput(*best) : unknown},
          {tr("Throughput, samples/s"), formatNumber(rate(&run::MeasuredRate::throughput)),
           best ? predictedText(best->throughput) : unknown},
          {tr("Statistical efficiency"), formatNumber(rate(&run::MeasuredRate::efficiency), 2),
           best ? predictedText(best->efficiency, 2) : unknown},
          {tr("Step time, ms"), formatNumber(1000 * rate(&run::MeasuredRate::step_time)),
           predictedText(1000 * step)},
          {tr("Batch size"), count(present, [](const OperatingPoint& point) { return point.batchSize; }),
           best ? bestBatchText(prediction) : formatNumber(kUnknownRate)},
          {tr("Local batch size"), count(present, local), count(best, local)},
          {tr("Accumulation steps"), count(present, accumulation), count(best, accumulation)}};
}

}  // namespace batchscope::common
