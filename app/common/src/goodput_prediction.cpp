// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/goodput_prediction.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "batchscope/common/number_text.h"
#include "batchscope/common/run_text.h"
#include "batchscope/common/translate.h"
#include "batchscope/protocol/series.h"
#include "batchscope/run/forecast.h"
#include "batchscope/run/prediction.h"

namespace batchscope::common {
namespace {

constexpr double kBeyondInitial = 16;  // times the initial batch size, where the run has no largest
constexpr double kMostTrained = 1e9;   // samples, micro-batches; what is beyond is not training

OperatingPoint pointOf(const run::Prediction& prediction, BatchLimit limit = BatchLimit::None) {
  return {prediction.at.num_replicas,
          prediction.batch_size,
          prediction.at.accumulation_steps,
          prediction.throughput,
          prediction.efficiency,
          prediction.goodput,
          limit,
          prediction.error};
}

// " (14,700 to 23,060)"; empty where nobody knows.
QString rangeText(double value, double error) {
  if (!(error > 0) || !std::isfinite(value)) return {};
  return tr(" (%1 to %2)").arg(formatNumber(value / (1 + error), 3), formatNumber(value * (1 + error), 3));
}

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Whether so many replicas keep to two gradients a step, or more, above the initial batch size
// (goodput::Bounds).
bool needsTwoGradients(const protocol::Model& model, int replicas) {
  return replicas == 1 && !model.single_gradient;
}

// Returns whether these replicas can only take the initial batch size, although the program leaves a choice:
// they need two gradients, and there is no accumulation.
bool keepsInitial(const protocol::Model& model, int replicas) {
  return needsTwoGradients(model, replicas) && !model.accumulation && !run::has_fixed_batch_size(model);
}

// The configurations of one number of replicas, batch size by batch size.
class Configurations {
 public:
  Configurations(const protocol::Model& model, int replicas)
      : model_(model), replicas_(replicas), best_(run::predict(model, replicas)) {}

  const std::optional<run::Prediction>& best() const { return best_; }

  // Returns the point nearest to the batch size; the fastest of the feasible ones, or else as it would be
  // without the limit that it has.
  OperatingPoint nearest(double batch) const {
    if (run::has_fixed_batch_size(model_)) {
      const int steps = best_ ? best_->at.accumulation_steps : 0;
      return at(std::llround(batch / replicas_ / (steps + 1)), steps, BatchLimit::FixedBatchSize);
    }
    std::optional<OperatingPoint> fastest;
    const int fewest = fewestSteps(batch);
    for (int steps = fewest; steps <= (model_.accumulation ? fewest + 1 : fewest); ++steps)
      if (const auto point = feasible(batch, steps);
          point && (!fastest || point->throughput > fastest->throughput))
        fastest = point;
    return fastest ? *fastest : at(std::llround(batch / replicas_), 0, limitOf(batch));
  }

 private:
  OperatingPoint at(std::int64_t local, int steps, BatchLimit limit) const {
    return pointOf(run::predict(model_, {1, replicas_, std::max<std::int64_t>(local, 1), steps}), limit);
  }

  bool isAboveInitial(double batch) const { return batch > static_cast<double>(model_.init_batch_size); }

  // The fewer the faster (goodput's optimize.cpp), but for one replica, which beyond the initial batch size
  // learns the noise from two micro-batches.
  int fewestSteps(double batch) const {
    if (!model_.accumulation) return 0;
    std::int64_t fewest = isAboveInitial(batch) && needsTwoGradients(model_, replicas_) ? 1 : 0;
    if (model_.max_local_batch_size > 0)
      fewest = std::max(fewest, std::int64_t(std::ceil(batch / replicas_ / model_.max_local_batch_size)) - 1);
    return static_cast<int>(std::min<std::int64_t>(fewest, std::numeric_limits<int>::max() - 1));
  }

  std::optional<OperatingPoint> feasible(double batch, int steps) const {
    const std::int64_t perLocal = std::int64_t{replicas_} * (steps + 1);
    // The curve begins below the initial batch size only where the best lies there.
    const std::int64_t floor =
        std::min(model_.init_batch_size, best_ ? best_->batch_size : model_.init_batch_size);
    const std::int64_t low =
        std::max({std::int64_t{1}, model_.min_local_batch_size, ceilDiv(floor, perLocal)});
    std::int64_t high = model_.max_batch_size / perLocal;
    if (model_.max_local_batch_size > 0) high = std::min(high, model_.max_local_batch_size);
    if (steps == 0 && needsTwoGradients(model_, replicas_))
      high = std::min(high, std::max(low, model_.init_batch_size));
    if (low > high) return {};
    const std::int64_t local =
        std::clamp<std::int64_t>(std::llround(batch / static_cast<double>(perLocal)), low, high);
    // Bounds must not pass for a batch size that they exclude.
    const double off = std::abs(static_cast<double>(local * perLocal) - batch);
    if (off > std::max(static_cast<double>(perLocal), 0.02 * batch)) return {};
    return at(local, steps, BatchLimit::None);
  }

  BatchLimit limitOf(double batch) const {
    const double local = batch / replicas_;
    if (batch > static_cast<double>(model_.max_batch_size)) return BatchLimit::LargestBatchSize;
    if (isAboveInitial(batch) && keepsInitial(model_, replicas_)) return BatchLimit::SingleGradient;
    if (model_.max_local_batch_size > 0 && local > static_cast<double>(model_.max_local_batch_size))
      return BatchLimit::LargestLocalBatch;
    return BatchLimit::SmallestLocalBatch;
  }

  const protocol::Model& model_;
  const int replicas_;
  const std::optional<run::Prediction> best_;
};

// Says what was measured, and beside it what the model predicts for the same configuration.
QString measuredText(const protocol::Model& model, const PresentRun& run) {
  const auto now = presentPoint(model, run.replicas, run.latest);
  const double predicted = now ? now->goodput : std::nan("");
  const auto& measured = run.measured;
  if (!measured || std::isnan(measured->goodput))
    return tr("Not measured yet; the model predicts goodput %1 samples/s.").arg(predictedText(predicted));
  const QString begin = is_resumable(run.state)
                            ? tr("Resume goes on from the newest checkpoint. Measured last: ")
                        : run.state == protocol::RunState::running ? tr("Measured now: ")
                                                                   : tr("Measured last: ");
  return begin + tr("goodput %1 samples/s at efficiency %2, the mean of %3. The model predicts %4.")
                     .arg(formatNumber(measured->goodput), formatNumber(measured->efficiency, 2),
                          formatDuration(std::max(1.0, measured->seconds)), predictedText(predicted));
}

// Compares predicted with predicted: the model's error is in both, and cancels.
QString changeText(const protocol::Model& model, int replicas, const PresentRun& run) {
  const auto best = bestPoint(model, replicas);
  const auto now = presentPoint(model, run.replicas, run.latest);
  if (!best) return tr("The model has no batch size that fits %1.").arg(replicaCount(replicas));
  QString text = tr("Predicted goodput %1 samples/s").arg(predictedGoodput(*best));
  if (now && now->goodput > 0) {
    const double change = best->goodput / now->goodput - 1;
    const QString predicted = predictedText(now->goodput);
    text += std::abs(change) < 0.005 ? tr(", the same as predicted for now")
            : change > 0
                ? tr(", %1 more than the %2 predicted for now").arg(formatPercent(change), predicted)
                : tr(", %1 less than the %2 predicted for now").arg(formatPercent(-change), predicted);
    text +=
        tr("; efficiency %1 → %2").arg(formatNumber(now->efficiency, 2), formatNumber(best->efficiency, 2));
  }
  text += QLatin1Char('.');
  if (const auto& measured = run.measured; measured && !std::isnan(measured->goodput))
    text += (run.state == protocol::RunState::running ? tr(" Measured now: %1.") : tr(" Measured last: %1."))
                .arg(formatNumber(measured->goodput));
  if (run.pause >= 0) text += tr(" Pause about %1.").arg(formatPause(run.pause));
  if (const QString sharing = sharingText(model, replicas); !sharing.isEmpty())
    text += QStringLiteral(" %1.").arg(sharing);
  else if (replicas > model.max_profiled_replicas)
    text += tr(" %1: never measured.").arg(replicaCount(replicas));
  return text;
}

}  // namespace

std::optional<run::Prediction> predictionNow(const protocol::Model& model, int replicas,
                                             const std::map<std::string, double>& latest) {
  const auto local = latest.find(protocol::series::kLocalBatchSize);
  if (local == latest.end() || !(local->second >= 1 && local->second <= kMostTrained) || replicas < 1)
    return {};
  const auto steps = latest.find(protocol::series::kAccumulation);
  const bool accumulates = steps != latest.end() && steps->second >= 0 && steps->second <= kMostTrained;
  const int accumulation = accumulates ? static_cast<int>(steps->second) : 0;
  return run::predict(model, {1, replicas, std::llround(local->second), accumulation});
}

std::optional<OperatingPoint> presentPoint(const protocol::Model& model, int replicas,
                                           const std::map<std::string, double>& latest) {
  const auto now = predictionNow(model, replicas, latest);
  return now ? std::optional(pointOf(*now)) : std::nullopt;
}

std::optional<OperatingPoint> bestPoint(const protocol::Model& model, int replicas) {
  const auto best = run::predict(model, replicas);
  return best ? std::optional(pointOf(*best)) : std::nullopt;
}

std::vector<OperatingPoint> goodputCurve(const protocol::Model& model, int replicas, int points) {
  return predictGoodput(model, replicas, points).curve;
}

GoodputPrediction predictGoodput(const protocol::Model& model, int replicas, int points, int present,
                                 const std::map<std::string, double>& latest) {
  GoodputPrediction prediction{};
  prediction.replicas = replicas;
  if (replicas < 1 || model.init_batch_size < 1) return prediction;
  const Configurations configurations(model, replicas);
  if (const auto& best = configurations.best()) prediction.best = pointOf(*best);
  prediction.bestRange = run::best_batch_sizes(model, replicas);
  if (present == replicas) prediction.now = presentPoint(model, present, latest);

  auto low = static_cast<double>(std::max<std::int64_t>(model.init_batch_size, replicas));
  auto high = run::has_fixed_batch_size(model) ? kBeyondInitial * static_cast<double>(model.init_batch_size)
                                               : static_cast<double>(model.max_batch_size);
  for (const auto& point : {prediction.best, prediction.now}) {
    if (!point) continue;
    low = std::min(low, static_cast<double>(point->batchSize));
    high = std::max(high, static_cast<double>(point->batchSize));
  }
  std::vector<OperatingPoint>& curve = prediction.curve;
  if (!(high > low) || points < 2) return prediction;
  if (prediction.best) curve.push_back(*prediction.best);
  for (int i = 0; i < points; ++i)
    curve.push_back(
        configurations.nearest(low * std::pow(high / low, static_cast<double>(i) / (points - 1))));
  // Keeps, of the points of one batch size, the feasible one, and of these the best, which came first.
  std::stable_sort(curve.begin(), curve.end(), [](const OperatingPoint& a, const OperatingPoint& b) {
    return std::pair(a.batchSize, !a.isFeasible()) < std::pair(b.batchSize, !b.isFeasible());
  });
  const auto same = [](const auto& a, const auto& b) { return a.batchSize == b.batchSize; };
  curve.erase(std::unique(curve.begin(), curve.end(), same), curve.end());
  for (const OperatingPoint& point : curve)
    if (!point.isFeasible() && !prediction.limits.contains(point.limit))
      prediction.limits[point.limit] = limitText(model, replicas, point.limit);
  return prediction;
}

QString limitText(const protocol::Model& model, int replicas, BatchLimit limit) {
  switch (limit) {
    case BatchLimit::FixedBatchSize: return constraintText(model, replicas);
    case BatchLimit::LargestBatchSize:
      return tr("the largest batch size is %1").arg(formatCount(model.max_batch_size));
    case BatchLimit::SingleGradient:
      return tr("one replica without accumulation keeps %1: one gradient a step says too little about "
                "the noise")
          .arg(formatCount(model.init_batch_size));
    case BatchLimit::SmallestLocalBatch:
      return tr("the smallest local batch is %1").arg(formatCount(model.min_local_batch_size));
    case BatchLimit::LargestLocalBatch:
      return tr("the largest local batch is %1, and accumulation is off")
          .arg(formatCount(model.max_local_batch_size));
    case BatchLimit::None: break;
  }
  return {};
}

QString constraintText(const protocol::Model& model, int replicas) {
  const QString initial = formatCount(model.init_batch_size);
  if (run::has_fixed_batch_size(model)) {
    if (model.micro_batches == 0) return tr("the program fixes the batch size at %1").arg(initial);
    return model.micro_batches == 1 ? tr("the program fixes the batch size at %1 a replica").arg(initial)
                                    : tr("the program fixes the batch size at %1 × %2 a replica")
                                          .arg(model.micro_batches)
                                          .arg(initial);
  }
  QStringList parts{tr("batch size up to %1").arg(formatCount(model.max_batch_size))};
  const bool isLocalBound =
      model.max_local_batch_size > 0 && model.max_local_batch_size < model.max_batch_size / replicas;
  if (isLocalBound) parts += tr("local batch up to %1").arg(formatCount(model.max_local_batch_size));
  if (!model.accumulation) parts += tr("no accumulation");
  if (needsTwoGradients(model, replicas))
    parts += (model.accumulation ? tr("one replica accumulates above %1") : tr("one replica keeps %1"))
                 .arg(initial);
  return parts.join(QStringLiteral(", "));
}

QString predictedText(double value, int digits) {
  const QString number = formatNumber(value, digits);
  return std::isnan(value) ? number : QStringLiteral("≈\u00a0") + number;
}

QString predictedGoodput(const OperatingPoint& point) {
  return predictedText(point.goodput) + rangeText(point.goodput, point.error);
}

QString bestBatchText(const GoodputPrediction& prediction) {
  if (!prediction.best) return {};
  const QString best = formatCount(prediction.best->batchSize);
  const auto& range = prediction.bestRange;
  if (!range || range->first == range->second) return best;
  return tr("%1 (%2 to %3)").arg(best, formatCount(range->first), formatCount(range->second));
}

QString forecastText(const storage::Generation& generation, bool goesOn) {
  const auto forecast = run::forecast_of(generation);
  if (!forecast) return {};
  const QString begin =
      (forecast->is_goodput ? tr("Predicted goodput %1 samples/s") : tr("Predicted throughput %1 samples/s"))
          .arg(predictedText(forecast->predicted) + rangeText(forecast->predicted, forecast->error));
  if (!forecast->obtained)
    return begin + (goesOn ? tr(", still being measured") : tr(", ended before it was steady"));
  const double change = *forecast->change();
  const QString sign = change > 0.005    ? QStringLiteral("+")
                       : change < -0.005 ? QStringLiteral("−")
                                         : QString();
  return begin + tr(", obtained %1 (%2)")
                     .arg(formatNumber(*forecast->obtained), sign + formatPercent(std::abs(change)));
}

QString sharingText(const protocol::Model& model, int replicas) {
  const int devices = run::counted_devices(model);
  if (devices < 1 || replicas <= devices) return {};
  if (model.devices < 1)
    return tr("measured on at most %1: more may not be faster").arg(replicaCount(devices));
  if (model.devices == 1 && keepsInitial(model, 1))
    return tr("%1 share one device: faster than 1 only because of the larger batch, which 1 cannot use")
        .arg(replicaCount(replicas));
  return model.devices == 1
             ? tr("%1 share one device: no faster than 1").arg(replicaCount(replicas))
             : tr("%1 share %2 devices: no faster than %2").arg(replicaCount(replicas)).arg(model.devices);
}

QString cautionText(const protocol::Model& model, int replicas) {
  QStringList notes;
  if (const QString sharing = sharingText(model, replicas); !sharing.isEmpty())
    notes += sharing + QLatin1Char('.');
  if (replicas > model.max_profiled_replicas)
    notes += tr("Never measured on %1: extrapolated from at most %2.")
                 .arg(replicaCount(replicas), replicaCount(model.max_profiled_replicas));
  return notes.join(QLatin1Char(' '));
}

QString whatIfText(const protocol::Model& model, int replicas, const PresentRun& run) {
  return replicas == run.replicas ? measuredText(model, run) : changeText(model, replicas, run);
}

}  // namespace batchscope::common
