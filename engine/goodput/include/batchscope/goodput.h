// SPDX-License-Identifier: Apache-2.0
/// \file
/// The mathematics of adaptive batch sizes, without LibTorch and without Qt: the gradient noise scale, the
/// factors of the scaling rules, the performance model and the goodput that follows from it. Times are in
/// seconds, batch sizes in samples, rates in samples a second.
///
///     using namespace batchscope::goodput;
///     const PerfParams perf = fit(rows);                                // measured step times
///     const GoodputFunction goodput(perf, {.sqr = 1e-4, .var = 2e-2}, /*init_batch_size=*/64);
///     const Choice best = goodput.optimize(/*num_nodes=*/1, /*num_replicas=*/4, {.max_batch_size = 1024});
///     std::cout << best.local_batch_size << " samples a replica: " << best.goodput << " samples/s\n";
#pragma once

#include "batchscope/goodput/average_error.h"
#include "batchscope/goodput/critical_batch_size.h"
#include "batchscope/goodput/fit.h"
#include "batchscope/goodput/measured_noise.h"
#include "batchscope/goodput/model.h"
#include "batchscope/goodput/noise_scale.h"
#include "batchscope/goodput/replica_chooser.h"
#include "batchscope/goodput/scaling_rule.h"
#include "batchscope/goodput/speedup.h"

/// The mathematics of adaptive batch sizes; see goodput.h. Nothing here blocks.
namespace batchscope::goodput {}
