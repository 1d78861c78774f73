// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares the fitted model with a run: for every configuration that was trained with (replicas, local batch
/// size, accumulation steps) the median of the measured step times beside the time that the model predicts (T
/// of Pollux, OSDI 2021, section 3.1).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "batchscope/protocol/telemetry.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/samples.h"

namespace batchscope::run {

/// A configuration, as it was measured and as the model has it.
struct StepTime {
  int replicas = 0;                   ///< over all nodes
  std::int64_t local_batch_size = 0;  ///< samples of one replica's micro-batch
  int accumulation = 0;               ///< micro-batches beyond the first
  std::int64_t steps = 0;             ///< that were measured
  double measured = 0;                ///< s, the median
  double predicted = 0;               ///< s
  /// Returns how much longer than predicted, as a share.
  double residual() const { return measured / predicted - 1; }
};

/// The steps that a generation has samples of.
struct GenerationSteps {
  int number = 0;               ///< of the generation
  int replicas = 0;             ///< in it
  std::int64_t first_step = 0;  ///< 0: none yet
  std::int64_t last_step = 0;   ///< of them
};

/// The series that are read.
std::vector<std::string> step_time_series();

/// Returns buckets of a series in a generation, from its first to its last step: so fine that hardly any
/// mixes configurations, but bounded however long the run (kStepTimeColumns, as for SampleReader::summarize).
using ReadBuckets = std::function<std::vector<storage::Bucket>(const std::string&, const GenerationSteps&)>;
/// The number of columns that ReadBuckets should ask for.
inline constexpr int kStepTimeColumns = 2048;

/// Measures step times without the first step of each generation, which warms caches. Ascending in replicas,
/// local batch size and accumulation; empty where the model has no parameters. Throws what `read` does.
std::vector<StepTime> measure_step_times(std::span<const GenerationSteps> generations,
                                         const ReadBuckets& read, const protocol::Model& model);

/// Does the same with recorded samples; a generation that goes on counts up to its newest step. Throws as
/// SampleReader::summarize does.
std::vector<StepTime> measure_step_times(const std::vector<storage::Generation>& generations,
                                         storage::SampleReader& samples, const protocol::Model& model);

/// Returns the mean of |residual|, weighted by steps; NaN where nothing was measured.
double mean_error(std::span<const StepTime> times);

}  // namespace batchscope::run
