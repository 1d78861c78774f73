// SPDX-License-Identifier: Apache-2.0
#include "simulation/simulate_command.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <stdexcept>

#include "batchscope/policy/simulation.h"
#include "batchscope/protocol/error.h"
#include "files/output_file.h"
#include "records/run_json.h"
#include "simulation/simulation_gantt.h"
#include "simulation/workload_files.h"
#include "terminal/interruption.h"
#include "terminal/terminal.h"
#include "terminal/transfer_progress.h"
#include "text/format.h"
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
  Table table({{"policy"},
               {"mean completion time", Align::right},
               {"makespan", Align::right},
               {"worst fairness", Align::right},
               {"restarts", Align::right}});
  for (const policy::Outcome& outcome : outcomes)
    table.addRow({outcome.policy, fmt::format("{:.1f} s", outcome.mean_completion_time()),
                  formatDuration(outcome.makespan()), fmt::format("{:.2f}", outcome.worst_fairness()),
                  std::to_string(outcome.restarts())});
  fmt::print("{}", table.text(terminalStyle(STDOUT_FILENO)));
}

// Before the work begins.
std::optional<OutputTarget> pictureTarget(const std::string& name, bool force) {
  if (name.empty()) return std::nullopt;
  OutputTarget target(name);
  if (target.kind() == OutputTarget::Kind::file && std::filesystem::path(name).extension() != ".svg")
    throw Error(ErrorKind::usage, fmt::format("--gantt {}: the name must end in .svg", name));
  target.refuseExisting(force);
  target.requireWritable();
  return target;
}

std::vector<policy::Outcome> outcomesOf(const SimulationChoice& choice,
                                        const std::vector<policy::Submission>& workload,
                                        const policy::Applications& applications,
                                        const policy::SimulationOptions& options) {
  std::int64_t epochs = 0;
  for (const policy::Submission& job : workload) epochs += applications.at(job.application).epochs();
  TransferProgress progress("simulating", epochs * static_cast<std::int64_t>(choice.policies.size()));
  std::vector<policy::Outcome> outcomes;
  for (const std::string& name : choice.policies) {
    std::int64_t before = 0;
    outcomes.push_back(
        policy::simulate(workload, applications, name, options, [&](std::int64_t done, std::int64_t) {
          progress.add(done - before);
          before = done;
        }));
  }
  return outcomes;
}

// Whose placements that were not measured follow a fitted model, for want of a table.
std::vector<std::string> modelled(const policy::Applications& applications) {
  std::vector<std::string> names;
  for (const auto& [name, application] : applications)
    if (!application.has_table() && application.max_replicas(application.max_batch_size()) > 1)
      names.push_back(printable(name));
  return names;
}

}  // namespace

int simulateWorkload(const SimulationChoice& choice) {
  const std::optional<OutputTarget> picture = pictureTarget(choice.gantt, choice.force);
  const std::vector<policy::Submission> workload = readWorkload(choice.workload);
  const policy::Applications applications = readProfiles(choice.profiles, workload);
  const policy::SimulationOptions options{policy::uniform_cluster(choice.nodes, choice.devices),
                                          choice.interval, choice.restart, choice.interference};
  const InterruptionGuard guard;
  std::vector<policy::Outcome> outcomes;
  try {
    outcomes = outcomesOf(choice, workload, applications, options);
  } catch (const std::invalid_argument& fault) {
    throw Error(ErrorKind::usage, fmt::format("{}: {}", printable(choice.workload), printable(fault.what())));
  }
  if (picture) {
    OutputFile file(*picture);
    file.write(simulationGantt(outcomes, options.cluster));
    file.finish();
    if (picture->kind() == OutputTarget::Kind::standardOutput) return kExitOk;
  }

  if (choice.json) {
    Json list = Json::array();
    for (const policy::Outcome& outcome : outcomes) list.push_back(outcomeJson(outcome));
    printJson({{"policies", std::move(list)}});
    return kExitOk;
  }
  printTable(outcomes);
  if (const std::vector<std::string> names = modelled(applications); !names.empty())
    fmt::print("Placements of {} that were not measured follow a model fitted to those that were.\n",
               fmt::join(names, ", "));
  if (picture) fmt::print("wrote {}\n", choice.gantt);
  return kExitOk;
}

}  // namespace batchscope::cli
