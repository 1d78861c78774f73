// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/prediction.h"

#include <algorithm>
#include <cmath>

#include "batchscope/protocol/series.h"
#include "batchscope/run/model.h"

namespace batchscope::desktop {
namespace {

constexpr int kMostAccumulation = 15;

OperatingPoint evaluate(const goodput::GoodputFunction& function, int replicas, std::int64_t local,
                        int accumulation) {
  const goodput::Configuration at{1, replicas, local, accumulation};
  OperatingPoint point;
  point.replicas = replicas;
  point.batchSize = replicas * local * (accumulation + 1);
  point.accumulation = accumulation;
  point.throughput = function.throughput(at);
  point.efficiency = function.efficiency(point.batchSize);
  point.goodput = function.evaluate(at);
  return point;
}

}  // namespace

std::optional<OperatingPoint> presentPoint(const protocol::Model& model, int replicas,
                                           const std::map<std::string, double>& latest) {
  const auto local = latest.find(protocol::series::kLocalBatchSize);
  if (local == latest.end() || !(local->second >= 1) || replicas < 1) return {};
  const auto steps = latest.find(protocol::series::kAccumulation);
  const int accumulation = steps == latest.end() ? 0 : static_cast<int>(steps->second);
  return evaluate(run::goodput_function(model), replicas, std::llround(local->second), accumulation);
}

std::optional<OperatingPoint> bestPoint(const protocol::Model& model, int replicas) {
  const goodput::GoodputFunction function = run::goodput_function(model);
  const goodput::Choice choice = function.optimize(1, replicas, run::batch_bounds(model));
  if (!(choice.goodput > 0)) return {};
  return evaluate(function, replicas, choice.local_batch_size, choice.accumulation_steps);
}

std::vector<OperatingPoint> goodputCurve(const protocol::Model& model, int replicas, int points) {
  std::vector<OperatingPoint> curve;
  const auto low = static_cast<double>(std::max<std::int64_t>(model.init_batch_size, replicas));
  const auto high =
      static_cast<double>(model.max_batch_size > 0 ? model.max_batch_size : 16 * model.init_batch_size);
  if (!(high > low) || points < 2) return curve;
  const goodput::GoodputFunction function = run::goodput_function(model);
  for (int i = 0; i < points; ++i) {
    const double batch = low * std::pow(high / low, static_cast<double>(i) / (points - 1));
    std::optional<OperatingPoint> best;
    for (int steps = 0; steps <= (model.accumulation ? kMostAccumulation : 0); ++steps) {
      const auto local = static_cast<std::int64_t>(std::ceil(batch / replicas / (steps + 1) - 1e-9));
      if (local < std::max<std::int64_t>(1, model.min_local_batch_size)) continue;
      if (model.max_local_batch_size > 0 && local > model.max_local_batch_size) continue;
      const OperatingPoint point = evaluate(function, replicas, local, steps);
      // Rounding up to whole samples on every replica and micro-batch must not pass for a larger batch.
      if (static_cast<double>(point.batchSize) - batch > std::max<double>(replicas, 0.02 * batch)) continue;
      if (!best || point.throughput > best->throughput) best = point;
      if (model.max_local_batch_size == 0) break;  // nothing forces accumulation
    }
    if (best && (curve.empty() || best->batchSize > curve.back().batchSize)) curve.push_back(*best);
  }
  return curve;
}

}  // namespace batchscope::desktop
