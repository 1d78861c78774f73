// SPDX-License-Identifier: Apache-2.0
//
// A scenario of `batchscope simulate`: a TOML file in place of options, so that a class can compare policies
// on its own workload:
//
//     workload = "queue.csv"           # beside this file, as is the folder of
//     profiles = "profiles"            # or "runs:GROUP", and then the workload may be missing
//     policies = ["fifo", "fast"]
//     nodes = 1
//     gpus = 2
//     interval = 60
//     restart = 30
//     interference = 0
//     expect = ["fast.mean_jct < 0.9 * fifo.mean_jct"]
//
// All but profiles may be missing. Options on the command line replace the file's. If they name other
// policies, the file's claims are left out.
#pragma once

#include "simulation/simulation_choice.h"

namespace batchscope::cli {

// Returns the choice, with the file's values for what it leaves open. Throws Error(usage) with file, line and
// what was expected, and Error(not_found).
SimulationChoice withScenario(const SimulationChoice& choice);

}  // namespace batchscope::cli
