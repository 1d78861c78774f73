// SPDX-License-Identifier: Apache-2.0
//
// The program `batchscope-simulate`, which `batchscope simulate` becomes.
#include "batchscope/common/translate.h"
#include "batchscope/policy/simulation.h"
#include "command_line/command_builder.h"
#include "command_line/command_line.h"
#include "command_line/help_text.h"
#include "simulation/simulate_command.h"

namespace batchscope::cli {
namespace {

void addSimulate(CommandSet& set) {
  auto simulate =
      declare(set, "simulate", tr(help::kSimulateAbout).toStdString(), help::kSimulate, simulateWorkload);
  using Choice = SimulationChoice;
  simulate
      .option("WORKLOAD", &Choice::workload,
              say("A CSV file of jobs, or a scenario in TOML; default with runs:GROUP: the group's runs"),
              Values::files)
      .option("--profiles DIR", &Choice::profiles,
              say("The folder with what was measured of the applications, or runs:GROUP"), Values::files)
      .option("--policy NAMES", &Choice::policies, say("Policies, separated by commas; default: fair,fast"),
              Takes::separated, OneOf{policy::policy_names()})
      .option("--nodes N", &Choice::nodes, say("How many machines; default: 16, with runs:GROUP 1"),
              range(1, Choice::kMostNodes))
      .option("--gpus N", &Choice::devices, say("How many devices each machine has; default: 4"),
              range(1, Choice::kMostDevices))
      .option("--interval S", &Choice::interval,
              say("Seconds between decisions; default: 60, with runs:GROUP 5"),
              range(Choice::kLeastInterval, Choice::kLongest))
      .option(
          "--restart S", &Choice::restart,
          say("Seconds that a job loses when its devices change; default: 30, with runs:GROUP as measured"),
          range(0.0, Choice::kLongest))
      .option(
          "--interference X", &Choice::interference,
          say("The fraction of its speed that a job on several nodes loses to another such job; default: 0"),
          range(0.0, Choice::kMostInterference))
      .flag("--interpolate", &Choice::interpolate,
            say("Let a fitted model stand in for placements that were not measured"))
      .option("--expect CLAIM", &Choice::expect,
              say("A claim that must hold, else the exit code is 5; may be repeated"), Takes::repeated)
      .option("--gantt FILE.svg", &SimulationChoice::gantt,
              say("Also draw which devices each job had, and when"), Values::files)
      .flag("--force", &SimulationChoice::force, say("Overwrite the file of --gantt"))
      .json();
}

}  // namespace
}  // namespace batchscope::cli

int main(int argc, char** argv) {
  return batchscope::cli::runCommandLine(argc, argv, {batchscope::cli::addSimulate});
}
