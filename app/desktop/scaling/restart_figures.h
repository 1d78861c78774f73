// SPDX-License-Identifier: GPL-3.0-or-later
//
// The cost of restarts, as figures: the parts of each pause in their order, with the work that was done
// again; and the replicas over time, with what each did.
#pragma once

#include <vector>

#include "figure/figure_data.h"
#include "scaling/run_history.h"

namespace batchscope::desktop {

// A bar for each of the newest restarts, the newest on top.
FigureData restartParts(const SeriesModel* series);

// A lane for each replica.
FigureData replicaLanes(const std::vector<Slice>& slices);

}  // namespace batchscope::desktop
