// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cost of restarts, as figures: the parts of each pause in their order, with the work that was done
/// again; and the replicas over time, with what each did.
#pragma once

#include <vector>

#include "batchscope/common/figure_data.h"
#include "batchscope/common/run_history.h"

namespace batchscope::common {

/// Returns a bar for each of the newest restarts, the newest on top; null: nothing is recorded.
FigureData restartParts(const RunSeries* series);

/// Returns a lane for each replica.
FigureData replicaLanes(const std::vector<Slice>& slices);

}  // namespace batchscope::common
