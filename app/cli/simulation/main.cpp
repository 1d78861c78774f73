// SPDX-License-Identifier: Apache-2.0
//
// The program `batchscope-simulate`, which `batchscope simulate` becomes.
#include "batchscope/policy/simulation.h"
#include "command_line/command_builder.h"
#include "command_line/command_line.h"
#include "command_line/help_text.h"
#include "simulation/simulate_command.h"

namespace batchscope::cli {
namespace {

void addSimulate(CommandSet& set) {
  auto simulate = declare(set, "simulate", help::kSimulateAbout, help::kSimulate, simulateWorkload);
  using Choice = SimulationChoice;
  simulate
      .option("WORKLOAD", &Choice::workload,
              "The jobs, a CSV file; or a scenario, a TOML file; default: the runs' own", Values::files)
      .option("--profiles DIR", &Choice::profiles,
              "What was measured of their applications: a folder, or runs:GROUP", Values::files)
      .option("--policy NAMES", &Choice::policies, "These, separated by commas; default: fair,fast",
              Takes::separated, OneOf{policy::policy_names()})
      .option("--nodes N", &Choice::nodes, "Machines; default: 16, with runs:GROUP 1",
              range(1, Choice::kMostNodes))
      .option("--gpus N", &Choice::devices, "Devices of each; default: 4", range(1, Choice::kMostDevices))
      .option("--interval S", &Choice::interval, "Seconds between decisions; default: 60, with runs:GROUP 5",
              range(Choice::kLeastInterval, Choice::kLongest))
      .option("--restart S", &Choice::restart,
              "Seconds that a change of its devices costs a job; default: 30, with runs:GROUP as measured",
              range(0.0, Choice::kLongest))
      .option("--interference X", &Choice::interference,
              "Share of its speed that a job on several nodes loses to another; default: 0",
              range(0.0, Choice::kMostInterference))
      .flag("--interpolate", &Choice::interpolate,
            "Let a fitted model stand in for placements that were not measured")
      .option("--expect CLAIM", &Choice::expect, "Exit code 5 unless it holds; may be repeated",
              Takes::repeated)
      .option("--gantt FILE.svg", &SimulationChoice::gantt, "Also draw who had which device when",
              Values::files)
      .flag("--force", &SimulationChoice::force, "Overwrite that file")
      .json();
}

}  // namespace
}  // namespace batchscope::cli

int main(int argc, char** argv) {
  return batchscope::cli::runCommandLine(argc, argv, {batchscope::cli::addSimulate});
}
