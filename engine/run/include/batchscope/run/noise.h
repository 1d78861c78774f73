// SPDX-License-Identifier: Apache-2.0
/// \file
/// Measures the gradient noise scale at a checkpoint: the run's program is started once more from a copy of
/// it, on one replica, and told to measure instead of training (protocol/noise_estimates.h). The run is left
/// as it is, and nothing is recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/noise_estimates.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::run {

/// The measurement to make.
struct NoiseOptions {
  std::string checkpoint;                                            ///< as ForkOptions::checkpoint
  int micro_batches = 200;                                           ///< of the initial batch size
  std::optional<std::vector<std::string>> arguments = std::nullopt;  ///< of the program; none: the run's
};

/// The result.
struct MeasuredRun {
  std::string checkpoint;                          ///< its name
  std::int64_t step = 0;                           ///< after which it was written
  std::vector<protocol::NoiseEstimate> estimates;  ///< fewer than asked for where the training ended
  std::optional<double> recorded;  ///< the run's own noise scale there, samples; none: it recorded none
};

/// Blocks until the program has measured and left. `poll` is called ten times a second; what it throws ends
/// the program, and is thrown on. Throws Error(not_found | corrupt) for the run and the checkpoint as
/// fork_run does, Error(failure) with the program's last words where it found nothing, Error(io).
MeasuredRun measure_noise(
    storage::Catalogue& catalogue, const std::string& id, const NoiseOptions& options,
    const std::function<void()>& poll = [] {});

}  // namespace batchscope::run
