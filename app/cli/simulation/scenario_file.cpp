// SPDX-License-Identifier: Apache-2.0
#include "simulation/scenario_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "batchscope/policy/simulation.h"
#include "batchscope/protocol/error.h"
#include "batchscope/run/toml_fields.h"
#include "simulation/recorded_queue.h"
#include "simulation/simulation_claim.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

class Scenario {
 public:
  Scenario(const std::filesystem::path& file, const toml::table& table)
      : file_(file), table_(table), fields_(file, table) {}

  void fill(SimulationChoice& choice) {
    const std::string workload = fields_.text("workload"), profiles = fields_.text("profiles");
    choice.workload = workload.empty() ? "" : beside(workload);
    if (choice.profiles.empty())
      choice.profiles = profiles.empty() || groupOf(profiles) ? profiles : beside(profiles);
    if (choice.profiles.empty()) fields_.fail(table_, say("field 'profiles' is missing or empty"));
    fillPolicies(choice);
    fillNumber("nodes", choice.nodes, 1, SimulationChoice::kMostNodes);
    fillNumber("gpus", choice.devices, 1, SimulationChoice::kMostDevices);
    fillNumber("interval", choice.interval, SimulationChoice::kLeastInterval, SimulationChoice::kLongest);
    fillNumber("restart", choice.restart, 0, SimulationChoice::kLongest);
    fillNumber("interference", choice.interference, 0, SimulationChoice::kMostInterference);
    fillInterpolate(choice);
    fillClaims(choice);
    fields_.no_others();
  }

 private:
  std::string beside(const std::string& name) const { return (file_.parent_path() / name).string(); }

  void fillPolicies(SimulationChoice& choice) {
    const std::vector<std::string> policies = fields_.texts("policies"), known = policy::policy_names();
    for (const std::string& name : policies)
      if (std::find(known.begin(), known.end(), name) == known.end())
        fields_.fail(*fields_.find("policies"),
                     say("there is no policy \"{}\"; expected some of {}", name, fmt::join(known, ", ")));
    others_ = !choice.policies.empty();
    if (choice.policies.empty()) choice.policies = policies;
    if (choice.policies.empty()) choice.policies = SimulationChoice::usualPolicies();
  }

  void fillInterpolate(SimulationChoice& choice) {
    const std::string said = fields_.scalar("interpolate");
    if (!said.empty() && said != "true" && said != "false")
      fields_.fail(*fields_.find("interpolate"), say("field 'interpolate': expected true or false"));
    choice.interpolate |= said == "true";
  }

  // They are about the file's policies.
  void fillClaims(SimulationChoice& choice) {
    const std::vector<std::string> claims = fields_.texts("expect");
    if (others_) return;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      try {
        SimulationClaim::parse(claims[i], choice.policies);
      } catch (const Error& fault) {
        fields_.fail(*fields_.find("expect")->as_array()->get(i), fault.what());
      }
    }
    choice.expect.insert(choice.expect.end(), claims.begin(), claims.end());
  }

  template <class Number>
  void fillNumber(const char* name, std::optional<Number>& value, double least, double most) {
    const std::optional<double> number = fields_.number(name);
    if (!number) return;
    const bool whole = std::is_integral_v<Number>;
    if (!(*number >= least && *number <= most) || (whole && *number != std::floor(*number)))
      fields_.fail(*fields_.find(name),
                   whole ? say("field '{}': expected a whole number from {} to {:.7g}", name, least, most)
                         : say("field '{}': expected a number from {} to {:.7g}", name, least, most));
    if (!value) value = static_cast<Number>(*number);
  }

  const std::filesystem::path& file_;
  const toml::table& table_;
  run::TomlFields fields_;
  bool others_ = false;  // other policies were asked for than the file's
};

}  // namespace

SimulationChoice withScenario(const SimulationChoice& choice) {
  const std::filesystem::path file = choice.workload;
  const toml::table table = run::read_toml(file, "scenario");
  SimulationChoice filled = choice;
  Scenario(file, table).fill(filled);
  return filled;
}

}  // namespace batchscope::cli
