// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fitted model's predictions for a number of replicas (run/prediction.h), as figures draw and word them:
/// the curve over batch size, its best point and the run's own place on it. One function returns all three,
/// so that they agree: the best is the highest of the points that the run may take, and each point out of
/// reach names its limit. Measured values are elsewhere: run/measured_rate.h.
#pragma once

#include <QString>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/protocol/telemetry.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// The limit that keeps a run from a batch size, if any does.
enum class BatchLimit {
  None,                ///< it may take it
  FixedBatchSize,      ///< the program fixes another
  LargestBatchSize,    ///< it is above the run's largest
  SingleGradient,      ///< of one replica without accumulation
  SmallestLocalBatch,  ///< a replica's share is too small
  LargestLocalBatch    ///< a replica's share is too large
};

/// A configuration and its predicted rates.
struct OperatingPoint {
  int replicas = 0;                     ///< over all nodes
  std::int64_t batchSize = 0;           ///< samples, over all replicas
  int accumulation = 0;                 ///< micro-batches beyond the first
  double throughput = 0;                ///< samples/s
  double efficiency = 0;                ///< statistical, 0 to 1
  double goodput = 0;                   ///< samples/s
  BatchLimit limit = BatchLimit::None;  ///< see above
  double error = 0;                     ///< of throughput and goodput, a share (run/prediction.h); 0: unknown

  /// Returns whether the run may take it.
  bool isFeasible() const { return limit == BatchLimit::None; }
  /// Returns the samples of one replica's micro-batch.
  std::int64_t localBatchSize() const { return batchSize / replicas / (accumulation + 1); }
};

/// The predictions for a number of replicas.
struct GoodputPrediction {
  int replicas = 0;                      ///< the number
  std::vector<OperatingPoint> curve;     ///< ascending in batch size, those out of reach among them
  std::map<BatchLimit, QString> limits;  ///< the limits, in words
  std::optional<OperatingPoint> best;    ///< a point of the curve; none: none is feasible
  /// Between which batch sizes the best is, as surely as the noise scale is known; none: nobody knows.
  std::optional<std::pair<std::int64_t, std::int64_t>> bestRange;
  std::optional<OperatingPoint> now;  ///< the present configuration, where it is on so many replicas
  std::optional<double> measured;     ///< goodput there, which need not lie on the curve
};

/// Returns the predictions for so many replicas. `present` replicas train at the configuration that the
/// newest samples name. The curve has `points`, evenly in the logarithm of the batch size, and a few that
/// matter.
GoodputPrediction predictGoodput(const protocol::Model& model, int replicas, int points, int present = 0,
                                 const std::map<std::string, double>& latest = {});

/// Returns the model at the configuration that the newest samples name; none where they do not.
std::optional<OperatingPoint> presentPoint(const protocol::Model& model, int replicas,
                                           const std::map<std::string, double>& latest);
/// Returns the best point on so many replicas; none where nothing is feasible.
std::optional<OperatingPoint> bestPoint(const protocol::Model& model, int replicas);
/// Returns the curve alone.
std::vector<OperatingPoint> goodputCurve(const protocol::Model& model, int replicas, int points);

/// Returns "the largest local batch is 128, and accumulation is off"; empty for BatchLimit::None.
QString limitText(const protocol::Model& model, int replicas, BatchLimit limit);
/// Returns the limits within which the best point is chosen: "the program fixes the batch size at 64", "batch
/// size up to 4,096".
QString constraintText(const protocol::Model& model, int replicas);
/// Returns "≈ 18,410" without a place to break the line. Predicted values have this mark, measured ones
/// do not.
QString predictedText(double value, int digits = 3);
/// Returns "≈ 18,410 (14,700 to 23,060)": a point's predicted goodput and its expected range.
QString predictedGoodput(const OperatingPoint& point);
/// Returns "512 (384 to 700)": the best batch size and between which it is; empty where there is none.
QString bestBatchText(const GoodputPrediction& prediction);
/// Returns how a restart compares with its prediction:
/// "Predicted goodput ≈ 18,410 samples/s, obtained 17,890 (−3 %)", or that it is still being measured
/// where `goesOn`; empty where nothing was predicted.
QString forecastText(const storage::Generation& generation, bool goesOn);
/// Returns "8 replicas share 2 devices: no faster than 2"; empty where each has its own, or nothing is known.
QString sharingText(const protocol::Model& model, int replicas);

}  // namespace batchscope::common
