// SPDX-License-Identifier: Apache-2.0
//
// The history of devices as an SVG: a panel for each policy, a line for each device, time to the right, all
// in one scale. A colour is an application, white is idle, a dark edge is a restart. A job's name shows under
// the mouse.
#pragma once

#include <string>
#include <vector>

#include "batchscope/policy/simulation.h"

namespace batchscope::cli {

std::string simulationGantt(const std::vector<policy::Outcome>& outcomes, const policy::Cluster& cluster);

}  // namespace batchscope::cli
