// SPDX-License-Identifier: Apache-2.0
/// \file
/// The estimates of a replica that measures its gradient noise instead of training. As these variables tell
/// it, it computes gradients at the weights of its checkpoint without an optimizer step, writes estimates,
/// each a line from many micro-batches, and leaves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace batchscope::protocol {

namespace variable {
/// The file for the estimates; not set: the replica trains.
inline constexpr char kNoiseFile[] = "BATCHSCOPE_NOISE_FILE";
/// Micro-batches to measure.
inline constexpr char kNoiseMicroBatches[] = "BATCHSCOPE_NOISE_MICRO_BATCHES";
}  // namespace variable

/// The gradient's statistics from several gradients at the same weights (goodput/noise_scale.h), as they
/// are: the squared norm may be negative.
struct NoiseEstimate {
  std::int64_t initial_batch_size = 1;  ///< samples, of which `var` is the variance
  std::int64_t local_batch_size = 1;    ///< samples of a micro-batch
  int gradients = 2;                    ///< micro-batches
  double sqr = 0;                       ///< |true gradient|^2
  double var = 0;                       ///< trace of the gradient's covariance at the initial batch size
};

/// Returns the estimate as a line of JSON, without the newline.
std::string noise_line(const NoiseEstimate& estimate);

/// Returns the estimates of the file, none where it is not there; a last line that is cut off is left out.
/// Throws Error(corrupt) for any other line that is not an estimate, Error(io) where the file cannot be read.
std::vector<NoiseEstimate> read_noise_estimates(const std::filesystem::path& file);

}  // namespace batchscope::protocol
