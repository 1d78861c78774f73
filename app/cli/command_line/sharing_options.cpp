// SPDX-License-Identifier: Apache-2.0
//
// What would become of many runs on the same devices, without one of them.
#include <cmath>

#include "batchscope/policy/simulation.h"
#include "command_line/command_builder.h"
#include "command_line/help_text.h"
#include "simulation/simulate_command.h"

namespace batchscope::cli {

void addSharingCommands(CommandSet& set) {
  constexpr double kLongest = 86'400;  // s, of an interval or a restart
  constexpr int kMostNodes = 4096, kMostDevices = 64;
  set.beginGroup("Many runs, one machine");
  auto simulate = declare(set, "simulate", "What a workload would take under a policy", help::kSimulate,
                          simulateWorkload);
  simulate.options()->policies = {"fair", "fast"};
  simulate
      .option("WORKLOAD", &SimulationChoice::workload, "The jobs, a CSV file", Takes::required, Values::files)
      .option("--profiles DIR", &SimulationChoice::profiles, "What was measured of their applications",
              Takes::required, Values::files)
      .option("--policy NAMES", &SimulationChoice::policies,
              "These, separated by commas: fair,fast if not said", Takes::separated,
              OneOf{policy::policy_names()})
      .option("--nodes N", &SimulationChoice::nodes, "Machines: 16 if not said", range(1, kMostNodes))
      .option("--gpus N", &SimulationChoice::devices, "Devices of each: 4 if not said",
              range(1, kMostDevices))
      .option("--interval S", &SimulationChoice::interval, "Seconds between decisions: 60 if not said",
              range(1.0, kLongest))
      .option("--restart S", &SimulationChoice::restart,
              "Seconds that a change of its devices costs a job: 30 if not said", range(0.0, kLongest))
      .option("--interference X", &SimulationChoice::interference,
              "Share of its speed that a job on several nodes loses by another: 0 if not said",
              range(0.0, std::nextafter(1.0, 0.0)))
      .option("--gantt FILE.svg", &SimulationChoice::gantt, "Also draw who had which device when",
              Values::files)
      .flag("--force", &SimulationChoice::force, "Overwrite that file")
      .json();
}

}  // namespace batchscope::cli
