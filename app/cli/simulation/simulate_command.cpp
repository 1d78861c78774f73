// SPDX-License-Identifier: Apache-2.0
#include "simulation/simulate_command.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "batchscope/policy/job.h"
#include "batchscope/policy/simulation.h"
#include "batchscope/protocol/error.h"
#include "files/output_file.h"
#include "simulation/recorded_queue.h"
#include "simulation/scenario_file.h"
#include "simulation/simulation_claim.h"
#include "simulation/simulation_gantt.h"
#include "simulation/workload_files.h"
#include "terminal/interruption.h"
#include "terminal/json_output.h"
#include "terminal/terminal.h"
#include "terminal/transfer_progress.h"
#include "text/format.h"
#include "text/say.h"
#include "text/table.h"

namespace batchscope::cli {
namespace {

using protocol::Json;

// 947, not 947.0.
Json secondsJson(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  return static_cast<double>(whole) == seconds ? Json(whole) : Json(seconds);
}

Json outcomeJson(const policy::Outcome& outcome) {
  Json jobs = Json::object();
  for (const policy::JobOutcome& job : outcome.jobs) jobs[job.name] = secondsJson(job.completion_time());
  return {{"policy", outcome.policy},
          {"mean_jct", outcome.mean_completion_time()},
          {"makespan", secondsJson(outcome.makespan())},
          {"worst_fairness", outcome.worst_fairness()},
          {"restarts", outcome.restarts()},
          {"jobs", std::move(jobs)}};
}

void printTable(const std::vector<policy::Outcome>& outcomes) {
  using Align = Table::Align;
  Table table({{say("policy")},
               {say("mean completion time"), Align::right},
               {say("makespan"), Align::right},
               {say("worst fairness"), Align::right},
               {say("restarts"), Align::right}});
  for (const policy::Outcome& outcome : outcomes)
    table.addRow({outcome.policy, fmt::format("{:.1f} s", outcome.mean_completion_time()),
                  formatClock(outcome.makespan()), fmt::format("{:.2f}", outcome.worst_fairness()),
                  std::to_string(outcome.restarts())});
  fmt::print("{}", table.text(terminalStyle(STDOUT_FILENO)));
}

// Before the work begins.
std::optional<OutputTarget> pictureTarget(const std::string& name, bool force) {
  if (name.empty()) return std::nullopt;
  OutputTarget target(name);
  if (target.kind() == OutputTarget::Kind::file && std::filesystem::path(name).extension() != ".svg")
    throw Error(ErrorKind::usage, say("--gantt {}: the name must end in .svg", name));
  target.refuseExisting(force);
  target.requireWritable();
  return target;
}

// The simulated workload, profiles and machines, with defaults filled in.
struct World {
  std::string source;  // of the workload, for messages
  std::vector<std::string> policies;
  std::vector<policy::Submission> workload;
  policy::Applications applications;
  policy::SimulationOptions options;
  std::vector<std::string> notes;
};

World publishedWorld(const SimulationChoice& choice) {
  World world;
  if (choice.workload.empty())
    throw Error(ErrorKind::usage,
                say("the profiles in {} need a WORKLOAD: a CSV file", printable(choice.profiles)));
  world.source = choice.workload;
  world.workload = readWorkload(choice.workload);
  world.applications = readProfiles(choice.profiles, world.workload, choice.interpolate);
  world.options = {policy::uniform_cluster(choice.nodes.value_or(16), choice.devices.value_or(4)),
                   choice.interval.value_or(60), choice.restart.value_or(30)};
  return world;
}

// Defaults for recorded runs: one machine, decisions as the pool makes them, and pauses as measured.
World recordedWorld(const SimulationChoice& choice, const std::string& group) {
  constexpr double kInterval = 5, kRestart = 0.1;  // s
  RecordedQueue queue = readRecordedQueue(group);
  World world;
  world.source = choice.profiles;
  world.workload = choice.workload.empty() ? std::move(queue.workload) : readWorkload(choice.workload);
  world.applications = std::move(queue.applications);
  world.options = {policy::uniform_cluster(choice.nodes.value_or(1), choice.devices.value_or(4)),
                   choice.interval.value_or(kInterval),
                   choice.restart.value_or(queue.restart.value_or(kRestart))};
  policy::SimulationOptions& options = world.options;
  options.budgets_moves = options.as_pool = true;
  options.turn = policy::turn_with(queue.turn, options.restart);
  options.opens = queue.opens;
  options.start = choice.restart.value_or(queue.start.value_or(options.restart));
  world.notes = std::move(queue.notes);
  return world;
}

World worldOf(const SimulationChoice& choice) {
  if (choice.profiles.empty())
    throw Error(ErrorKind::usage, say("--profiles DIR or --profiles runs:GROUP is missing"));
  const std::optional<std::string> group = groupOf(choice.profiles);
  World world = group ? recordedWorld(choice, *group) : publishedWorld(choice);
  world.options.interference = choice.interference.value_or(0);
  world.policies = choice.policies;
  if (world.policies.empty()) world.policies = SimulationChoice::usualPolicies();
  return world;
}

std::vector<policy::Outcome> outcomesOf(const World& world) {
  std::int64_t epochs = 0;
  for (const policy::Submission& job : world.workload)
    if (const auto found = world.applications.find(job.application); found != world.applications.end())
      epochs += found->second.epochs();
  TransferProgress progress(say("simulating"), epochs * static_cast<std::int64_t>(world.policies.size()));
  std::vector<policy::Outcome> outcomes;
  for (const std::string& name : world.policies) {
    std::int64_t before = 0;
    outcomes.push_back(policy::simulate(world.workload, world.applications, name, world.options,
                                        [&](std::int64_t done, std::int64_t) {
                                          progress.add(done - before);
                                          before = done;
                                        }));
  }
  return outcomes;
}

Json claimsJson(const std::vector<SimulationClaim>& claims, const std::vector<policy::Outcome>& outcomes) {
  Json list = Json::array();
  for (const SimulationClaim& claim : claims)
    list.push_back({{"expected", claim.text()},
                    {"seen", fmt::format("{:.6g} and {:.6g}", claim.left(outcomes), claim.right(outcomes))},
                    {"passed", claim.holds(outcomes)}});
  return list;
}

void printClaims(const std::vector<SimulationClaim>& claims, const std::vector<policy::Outcome>& outcomes) {
  if (claims.empty()) return;
  Table table(
      {{say("expected"), Table::Align::left, true}, {say("seen"), Table::Align::right}, {say("verdict")}});
  for (const SimulationClaim& claim : claims)
    table.addRow({claim.text(), say("{:.6g} and {:.6g}", claim.left(outcomes), claim.right(outcomes)),
                  claim.holds(outcomes) ? Table::Cell(say("pass"), Colour::green)
                                        : Table::Cell(say("FAIL"), Colour::red)});
  fmt::print("{}", table.text(terminalStyle(STDOUT_FILENO)));
}

// Returns the applications for which a fitted model predicted steps that were not measured.
std::vector<std::string> modelled(const policy::Applications& applications) {
  std::vector<std::string> names;
  for (const auto& [name, application] : applications)
    if (application.uses_model()) names.push_back(printable(name));
  return names;
}

}  // namespace

int simulateWorkload(const SimulationChoice& asked) {
  const SimulationChoice choice = asked.workload.ends_with(".toml") ? withScenario(asked) : asked;
  const std::optional<OutputTarget> picture = pictureTarget(choice.gantt, choice.force);
  const World world = worldOf(choice);
  std::vector<SimulationClaim> claims;
  for (const std::string& claim : choice.expect)
    claims.push_back(SimulationClaim::parse(claim, world.policies));
  const InterruptionGuard guard;
  std::vector<policy::Outcome> outcomes;
  try {
    outcomes = outcomesOf(world);
  } catch (const policy::NotMeasured& fault) {
    throw Error(ErrorKind::usage,
                say("{}: {}, and there is no table of such steps (between.csv): make it by "
                    "tools/pollux_profiles.py, or let a fitted model stand in: --interpolate",
                    printable(choice.profiles), printable(fault.what())));
  } catch (const std::invalid_argument& fault) {
    throw Error(ErrorKind::usage, fmt::format("{}: {}", printable(world.source), printable(fault.what())));
  }
  const bool hold = std::all_of(claims.begin(), claims.end(),
                                [&](const SimulationClaim& claim) { return claim.holds(outcomes); });
  const int code = hold ? kExitOk : kExitExpectation;
  if (picture) {
    OutputFile file(*picture);
    file.write(simulationGantt(outcomes, world.options.cluster));
    file.finish();
    if (picture->kind() == OutputTarget::Kind::standardOutput) return code;
  }

  if (choice.json) {
    Json list = Json::array();
    for (const policy::Outcome& outcome : outcomes) list.push_back(outcomeJson(outcome));
    Json answer{{"policies", std::move(list)}};
    if (!claims.empty()) answer["expectations"] = claimsJson(claims, outcomes);
    if (const std::vector<std::string> names = modelled(world.applications); !names.empty())
      answer["modelled"] = names;
    if (!world.notes.empty()) answer["notes"] = world.notes;
    printJson(answer);
    return code;
  }
  printTable(outcomes);
  printClaims(claims, outcomes);
  if (const std::vector<std::string> names = modelled(world.applications); !names.empty())
    fmt::print("{}\n",
               say("Placements of {} that were not measured follow a model fitted to those that were.",
                   fmt::join(names, ", ")));
  for (const std::string& note : world.notes) fmt::print("{}.\n", note);
  if (picture) fmt::print("{}\n", say("wrote {}", choice.gantt));
  return code;
}

}  // namespace batchscope::cli
