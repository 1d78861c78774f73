// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fits PerfParams to measured step times: minimises the root mean square error of the logarithms of
/// accumulation and optimizer step times plus AdaptDL's regularisers (goodput.py, fit_perf_params), by
/// NLopt's L-BFGS with the six alphas and betas as logarithms and gamma in [1, 10]; what the profile cannot
/// tell is fixed as AdaptDL fixes it.
#pragma once

#include <span>

#include "batchscope/goodput/model.h"

namespace batchscope::goodput {

/// Mean times measured in one configuration.
struct ProfileRow {
  int num_nodes = 1;                  ///< machines, at least 1
  int num_replicas = 1;               ///< over all machines, at least num_nodes
  std::int64_t local_batch_size = 1;  ///< samples of one replica's micro-batch
  double accumulation_step_time = 0;  ///< s, of a micro-batch without synchronisation
  double optimizer_step_time = 0;     ///< s, of the micro-batch that synchronises and updates
};

/// The parameters that explain the rows best, about 0.5 ms for 20 of them. Throws std::invalid_argument for
/// no rows, or a row with times or counts that are not positive and finite.
PerfParams fit(std::span<const ProfileRow> rows);

/// The objective that fit minimises, of rows such as fit takes: no unit, its times are logarithms. For tests
/// and for showing the error of a model.
double fit_objective(const PerfParams& perf, std::span<const ProfileRow> rows);

}  // namespace batchscope::goodput
