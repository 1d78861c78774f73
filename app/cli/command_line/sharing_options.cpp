// SPDX-License-Identifier: Apache-2.0
//
// The words of the commands about many runs on the same devices.

#include <cmath>

#include "batchscope/policy/simulation.h"
#include "command_line/command_set.h"
#include "command_line/help_text.h"
#include "simulation/simulate_command.h"

namespace batchscope::cli {
namespace {

constexpr double kLongest = 86'400;  // s, of an interval or a restart
constexpr int kMostNodes = 4096, kMostDevices = 64;

void addSimulate(CommandSet& set) {
  const auto options = std::make_shared<SimulationChoice>();
  options->policies = {"fair", "fast"};
  CLI::App* command = set.add("simulate", "What a workload would take under a policy", help::kSimulate,
                              [=] { return simulateWorkload(*options); });
  set.setValues(
      command->add_option("WORKLOAD", options->workload, "The jobs, a CSV file")->required()->type_name(""),
      CommandSet::Values::files);
  set.setValues(
      command->add_option("--profiles", options->profiles, "What was measured of their applications")
          ->required()
          ->type_name("DIR"),
      CommandSet::Values::files);
  set.limitTo(
      command->add_option("--policy", options->policies, "These, separated by commas: fair,fast if not said")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->type_name("NAMES"),
      policy::policy_names());
  command->add_option("--nodes", options->nodes, "Machines: 16 if not said")
      ->check(CLI::Range(1, kMostNodes).description(""))
      ->type_name("N");
  command->add_option("--gpus", options->devices, "Devices of each: 4 if not said")
      ->check(CLI::Range(1, kMostDevices).description(""))
      ->type_name("N");
  command->add_option("--interval", options->interval, "Seconds between decisions: 60 if not said")
      ->check(CLI::Range(1.0, kLongest).description(""))
      ->type_name("S");
  command
      ->add_option("--restart", options->restart,
                   "Seconds that a change of its devices costs a job: 30 if not said")
      ->check(CLI::Range(0.0, kLongest).description(""))
      ->type_name("S");
  command
      ->add_option("--interference", options->interference,
                   "Share of its speed that a job on several nodes loses by another: 0 if not said")
      ->check(CLI::Range(0.0, std::nextafter(1.0, 0.0)).description(""))
      ->type_name("X");
  set.setValues(command->add_option("--gantt", options->gantt, "Also draw who had which device when")
                    ->type_name("FILE.svg"),
                CommandSet::Values::files);
  command->add_flag("--force", options->force, "Overwrite that file");
  set.addJson(command, options->json);
}

}  // namespace

void addSharingCommands(CommandSet& set) {
  set.beginGroup("Sharing devices");
  addSimulate(set);
}

}  // namespace batchscope::cli
