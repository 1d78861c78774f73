// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fitted model's predictions for a number of replicas (run/prediction.h), as the window and the page
/// draw and word them: the curve over batch size, its best point and the run's own place on it. One function
/// returns all three, so that they agree: the best is the highest of the points that the run may take, and
/// each point out of reach names its limit. Measured values are elsewhere: run/measured_rate.h.
#pragma once

#include <QString>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/protocol/telemetry.h"
#include "batchscope/run/measured_rate.h"
#include "batchscope/run/prediction.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// The limit that keeps a run from a batch size, if any does.
enum class BatchLimit {
  None,
  FixedBatchSize,
  LargestBatchSize,
  SingleGradient,  ///< of one replica without accumulation
  SmallestLocalBatch,
  LargestLocalBatch
};

/// One way to run, and how fast the model takes it to be.
struct OperatingPoint {
  int replicas = 0;
  std::int64_t batchSize = 0;  ///< samples of a step, all replicas
  int accumulation = 0;        ///< micro-batches of a step beyond the first
  double throughput = 0;       ///< samples/s, predicted
  double efficiency = 0;       ///< statistical, 0..1, predicted
  double goodput = 0;          ///< samples/s, predicted
  BatchLimit limit = BatchLimit::None;
  double error = 0;  ///< of throughput and goodput, a share (run/prediction.h); 0: unknown

  bool isFeasible() const { return limit == BatchLimit::None; }
  std::int64_t localBatchSize() const { return batchSize / replicas / (accumulation + 1); }  ///< samples
};

/// The prediction for a number of replicas.
struct GoodputPrediction {
  int replicas = 0;
  std::vector<OperatingPoint> curve;     ///< ascending in batch size, those out of reach among them
  std::map<BatchLimit, QString> limits;  ///< the limits, in words
  std::optional<OperatingPoint> best;    ///< a point of the curve; empty: none is feasible
  /// Between which batch sizes the best is, as surely as the noise scale is known; empty: nobody knows.
  std::optional<std::pair<std::int64_t, std::int64_t>> bestRange;
  std::optional<OperatingPoint> now;  ///< the present configuration, where it is on so many replicas
  std::optional<double> measured;     ///< goodput there, samples/s, which need not lie on the curve
};

/// Predicts for `replicas`, while `present` train at the configuration that the newest samples name: `points`
/// of the curve, evenly in the logarithm of the batch size, and a few that matter.
GoodputPrediction predictGoodput(const protocol::Model& model, int replicas, int points, int present = 0,
                                 const std::map<std::string, double>& latest = {});

/// Predicts the configuration that the newest samples name; empty where they do not.
std::optional<run::Prediction> predictionNow(const protocol::Model& model, int replicas,
                                             const std::map<std::string, double>& latest);
/// Returns the same as a point.
std::optional<OperatingPoint> presentPoint(const protocol::Model& model, int replicas,
                                           const std::map<std::string, double>& latest);
/// Returns the best point on so many replicas; empty where nothing is feasible.
std::optional<OperatingPoint> bestPoint(const protocol::Model& model, int replicas);
/// Returns the curve of predictGoodput alone.
std::vector<OperatingPoint> goodputCurve(const protocol::Model& model, int replicas, int points);

/// Returns "the largest local batch is 128, and accumulation is off"; empty for BatchLimit::None.
QString limitText(const protocol::Model& model, int replicas, BatchLimit limit);
/// Returns the limits within which the best point is chosen: "the program fixes the batch size at 64", "batch
/// size up to 4,096".
QString constraintText(const protocol::Model& model, int replicas);
/// Returns "8 replicas share 2 devices: no faster than 2"; empty where each has its own, or nothing is known.
QString sharingText(const protocol::Model& model, int replicas);
/// Returns what makes the prediction less sure: "8 replicas share 2 devices: no faster than 2. Never measured
/// on 8 replicas: extrapolated from at most 4 replicas."; empty for none.
QString cautionText(const protocol::Model& model, int replicas);

/// Returns "≈ 18,410" without a place to break the line. Predicted values have this mark, measured ones do
/// not.
QString predictedText(double value, int digits = 3);
/// Returns "≈ 18,410 (14,700 to 23,060)": a point's predicted goodput and its expected range.
QString predictedGoodput(const OperatingPoint& point);
/// Returns "512 (384 to 700)": the best batch size and between which it is; empty where there is none.
QString bestBatchText(const GoodputPrediction& prediction);

/// Says how a restart compares with its prediction: "Predicted goodput ≈ 18,410 samples/s, obtained 17,890
/// (−3 %)", or that it is still being measured where `goesOn`; empty where nothing was predicted.
QString forecastText(const storage::Generation& generation, bool goesOn);

/// The state and the measurements of a run beside its model.
struct PresentRun {
  int replicas = 0;                             ///< on which it trains
  protocol::RunState state;                     ///< whether it trains
  const std::map<std::string, double>& latest;  ///< the newest value of each series
  std::optional<run::MeasuredRate> measured;    ///< its newest steps
  double pause = -1;                            ///< s, of its last restart; below 0: it had none
};

/// Says what `replicas` would bring. On as many as now it is what was measured, and beside it the prediction
/// for the same configuration: "Measured now: goodput 4,000 samples/s at efficiency 0.90, the mean of 10 s.
/// The model predicts ≈ 4,100." On others it compares predicted with predicted, as the model's error is in
/// both and cancels: "Predicted goodput ≈ 5,000 samples/s, 25 % more than the ≈ 4,000 predicted for now; ..".
QString whatIfText(const protocol::Model& model, int replicas, const PresentRun& run);

}  // namespace batchscope::common
