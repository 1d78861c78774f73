// SPDX-License-Identifier: GPL-3.0-or-later
//
// The fitted model's predictions for a number of replicas (run/prediction.h), as the window draws and words
// them: the curve over batch size, its best point and the run's own place on it. One function returns all
// three, so that they agree: the best is the highest of the points that the run may take, and each point out
// of reach names its limit. Measured values are elsewhere: run/measured_rate.h.
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

namespace batchscope::desktop {

// The limit that keeps a run from a batch size, if any does.
enum class BatchLimit {
  None,
  FixedBatchSize,
  LargestBatchSize,
  SingleGradient,  // of one replica without accumulation
  SmallestLocalBatch,
  LargestLocalBatch
};

struct OperatingPoint {
  int replicas = 0;
  std::int64_t batchSize = 0;
  int accumulation = 0;
  double throughput = 0, efficiency = 0, goodput = 0;  // predicted
  BatchLimit limit = BatchLimit::None;
  double error = 0;  // of throughput and goodput, a share (run/prediction.h); 0: unknown

  bool isFeasible() const { return limit == BatchLimit::None; }
  std::int64_t localBatchSize() const { return batchSize / replicas / (accumulation + 1); }
};

struct GoodputPrediction {
  int replicas = 0;
  std::vector<OperatingPoint> curve;     // ascending in batch size, those out of reach among them
  std::map<BatchLimit, QString> limits;  // the limits, in words
  std::optional<OperatingPoint> best;    // a point of the curve; empty: none is feasible
  // Between which batch sizes the best is, as surely as the noise scale is known; empty: nobody knows.
  std::optional<std::pair<std::int64_t, std::int64_t>> bestRange;
  std::optional<OperatingPoint> now;  // the present configuration, where it is on so many replicas
  std::optional<double> measured;     // goodput there, which need not lie on the curve
};

// `present` replicas train at the configuration that the newest samples name. `points` of the curve,
// evenly in the logarithm of the batch size, and a few that matter.
GoodputPrediction predictGoodput(const protocol::Model& model, int replicas, int points, int present = 0,
                                 const std::map<std::string, double>& latest = {});

// The parts, where no more is needed. The model at the configuration that the newest samples name; empty
// where they do not.
std::optional<OperatingPoint> presentPoint(const protocol::Model& model, int replicas,
                                           const std::map<std::string, double>& latest);
// Returns the best point on so many replicas; empty where nothing is feasible.
std::optional<OperatingPoint> bestPoint(const protocol::Model& model, int replicas);
std::vector<OperatingPoint> goodputCurve(const protocol::Model& model, int replicas, int points);

// "the largest local batch is 128, and accumulation is off"; empty for BatchLimit::None.
QString limitText(const protocol::Model& model, int replicas, BatchLimit limit);
// Returns the limits within which the best point is chosen: "the program fixes the batch size at 64", "batch
// size up to 4,096".
QString constraintText(const protocol::Model& model, int replicas);
// Returns "≈ 18,410" without a place to break the line. Predicted values have this mark, measured ones do
// not.
QString predictedText(double value, int digits = 3);
// Returns "≈ 18,410 (14,700 to 23,060)": a point's predicted goodput and its expected range.
QString predictedGoodput(const OperatingPoint& point);
// Returns "512 (384 to 700)": the best batch size and between which it is; empty where there is none.
QString bestBatchText(const GoodputPrediction& prediction);
// Says how a restart compares with its prediction:
// "Predicted goodput ≈ 18,410 samples/s, obtained 17,890 (−3 %)", or that it is still being measured where
// `goesOn`; empty where nothing was predicted.
QString forecastText(const storage::Generation& generation, bool goesOn);
// "8 replicas share 2 devices: no faster than 2"; empty where each has its own, or nothing is known.
QString sharingText(const protocol::Model& model, int replicas);

}  // namespace batchscope::desktop
