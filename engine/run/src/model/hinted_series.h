// SPDX-License-Identifier: Apache-2.0
//
// The content of sched hints, as values of series (protocol/series.h): the noise scale, the best goodput that
// they predict for this many replicas, and gain and efficiency at the batch size that the program says it
// uses, or else at the one that is best (goodput/model.h). What the hints do not tell is left out.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "batchscope/protocol/telemetry.h"

namespace batchscope::run {

// `batch_size`: the hints' globalBatchSize, samples over all replicas; 0: not told.
std::map<std::string, double> hinted_series(const protocol::Model& model, std::int64_t batch_size,
                                            int replicas);

}  // namespace batchscope::run
