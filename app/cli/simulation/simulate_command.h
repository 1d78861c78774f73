// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulation/simulation_choice.h"

namespace batchscope::cli {

// Returns kExitExpectation where a claim does not hold.
int simulateWorkload(const SimulationChoice& choice);

}  // namespace batchscope::cli
