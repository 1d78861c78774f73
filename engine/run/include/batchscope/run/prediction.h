// SPDX-License-Identifier: Apache-2.0
/// \file
/// Predictions of the fitted model for a run (goodput/model.h), on the machine that it runs on. Measured
/// rates are in measured_rate.h; a restart is reported with both.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "batchscope/run/model.h"

namespace batchscope::run {

/// One way to run, and how fast the model takes it to be.
struct Prediction {
  goodput::Configuration at;    ///< replicas, local batch size, accumulation
  std::int64_t batch_size = 0;  ///< samples of a step, all replicas
  double throughput = 0;        ///< samples/s
  double efficiency = 0;        ///< statistical efficiency, 0..1
  double goodput = 0;           ///< samples/s
  /// Nine of ten outcomes lie between goodput / (1 + error) and goodput * (1 + error), and even more so for
  /// throughput; 0: unknown. It is the root of the sum of squares, by logarithms, of
  ///   how far measured step times are from the model's,
  ///   0.1 for a machine that is not as fast all the time,
  ///   0.15 for each doubling of the replicas beyond the most that were measured,
  ///   0.15 for each doubling of a micro-batch beyond the largest that was measured, or below the smallest,
  ///   how far the efficiency changes with the noise scale, as surely as that is known.
  double error = 0;
  double low() const { return goodput / (1 + error); }   ///< samples/s
  double high() const { return goodput * (1 + error); }  ///< samples/s
};

/// Returns whether the program itself fixes how large a step is on any number of replicas.
bool has_fixed_batch_size(const protocol::Model& model);

/// Predicts this configuration. Rates are 0 where the model knows none.
Prediction predict(const protocol::Model& model, const goodput::Configuration& at);

/// Predicts a run on so many replicas and nodes: the configuration of the best goodput within its bounds
/// (goodput::GoodputFunction::optimize) and within reach of what it has measured (goodput::within_reach), as
/// a replica chooses it, or the one that the program fixes. Empty where the model says nothing or no
/// configuration is feasible.
std::optional<Prediction> predict(const protocol::Model& model, int replicas, int nodes = 1);

/// Returns between which batch sizes, samples of a step, the best one of predict is: the best with the
/// smallest and with the largest noise scale that nine of ten cases leave. Empty where the program fixes the
/// batch size, where the error of the noise scale is unknown, and where no configuration is feasible.
std::optional<std::pair<std::int64_t, std::int64_t>> best_batch_sizes(const protocol::Model& model,
                                                                      int replicas, int nodes = 1);

}  // namespace batchscope::run
