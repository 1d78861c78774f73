// SPDX-License-Identifier: GPL-3.0-or-later
//
// Charts of what a program records by names of its own, one for each series. Series whose names say that they
// are parts of one quantity, such as loss_d and loss_g, or real_score and fake_score, share a chart.
#pragma once

#include <string>
#include <vector>

#include "chart/chart_spec.h"

namespace batchscope::desktop {

// Returns charts of the recorded series that only this program has: neither those of every run nor those of
// its devices; by name.
std::vector<ChartSpec> ownCharts(const std::vector<std::string>& recorded);

}  // namespace batchscope::desktop
