// SPDX-License-Identifier: Apache-2.0
//
// Makes, of the rows of a sweep, what people look at.
#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <limits>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/sweep/sweeps.h"

namespace batchscope::sweep {
namespace {

using storage::SweepLeg;

std::optional<Outcome> outcome_of(const SweepLeg& row) {
  switch (row.outcome) {
    case SweepLeg::Outcome::under_way: return std::nullopt;
    case SweepLeg::Outcome::value: return Outcome{row.value, row.device_hours, row.at_end};
    case SweepLeg::Outcome::diverged:
      return Outcome{std::numeric_limits<double>::quiet_NaN(), row.device_hours, row.at_end};
    case SweepLeg::Outcome::failed: return Outcome{std::nullopt, row.device_hours, row.at_end};
  }
  return std::nullopt;
}

std::vector<LegRecord> records_of(const SweepFile& file, const std::vector<SweepLeg>& rows) {
  const Space space(file.parameters);
  std::vector<LegRecord> legs;
  for (const SweepLeg& row : rows)
    legs.push_back(
        {row.trial, row.rung, row.heard, space.point(row.parameters), outcome_of(row), row.origin});
  return legs;
}

std::vector<TrialView> trials_of(const SweepView& view, const std::vector<storage::TrialRun>& runs) {
  std::vector<TrialView> trials;
  for (Standing& standing : standings(view.file, view.legs))
    trials.emplace_back().standing = std::move(standing);
  for (const SweepLeg& row : view.rows) {
    TrialView& trial = trials[row.trial];
    trial.parameters = row.parameters;
    trial.message = row.message;
    if (trial.began <= 0) trial.began = row.began;
    trial.ended = row.ended;
  }
  // The leg with which a trial's runs began: one that went on from another's checkpoint has new ones.
  std::vector<std::size_t> begun(trials.size());
  for (std::size_t number = 0; number < view.rows.size(); ++number)
    if (view.rows[number].origin) begun[view.rows[number].trial] = number;
  for (TrialView& trial : trials) trial.runs.resize(static_cast<std::size_t>(view.file.seeds));
  for (const storage::TrialRun& run : runs)
    if (run.trial < trials.size() && run.seed >= 0 && run.seed < view.file.seeds &&
        run.leg >= begun[run.trial])
      trials[run.trial].runs[static_cast<std::size_t>(run.seed)] = run.run;
  return trials;
}

// Runs elsewhere say themselves why they wait; of the pool's, the queue tells.
void tell_waiting(storage::Catalogue& catalogue, SweepView& view) {
  if (view.sweep.workplace.empty() || view.sweep.state != storage::SweepState::running) return;
  for (TrialView& trial : view.trials) {
    if (trial.standing.state != Standing::State::running) continue;
    for (const std::string& id : trial.runs) {
      const auto run = id.empty() ? std::nullopt : catalogue.run(id);
      if (!run || run->state != protocol::RunState::pending) continue;
      trial.waits = true;
      trial.message = run->message;
    }
  }
}

// A program or recipe of the sweep's file as it is found from any folder: by its name where it was installed,
// by its absolute path otherwise.
std::string from_anywhere(const std::string& text, const std::string& path, const protocol::RunSpec& spec) {
  const auto below = std::filesystem::path(path).lexically_relative(spec.working_directory);
  const bool named = text.find('/') == std::string::npos && (below.empty() || *below.begin() == "..");
  return named || path.empty() ? text : path;
}

}  // namespace

SweepView view_of(storage::Sweep sweep, std::vector<SweepLeg> rows,
                  const std::vector<storage::TrialRun>& runs) {
  SweepView view;
  view.sweep = std::move(sweep);
  view.rows = std::move(rows);
  try {
    view.file = SweepFile::parse(view.sweep.file, view.sweep.name);
    view.legs = records_of(view.file, view.rows);
    view.trials = trials_of(view, runs);
    view.best = best_trial(view.file, view.legs);
  } catch (const std::exception& fault) {
    throw Error(ErrorKind::corrupt,
                fmt::format("the sweep '{}' cannot be read: {}", view.sweep.name, fault.what()));
  }
  for (const SweepLeg& row : view.rows) view.device_hours += row.device_hours;
  return view;
}

SweepView look(storage::Catalogue& catalogue, const std::string& name) {
  storage::Sweeps sweeps(catalogue);
  storage::Sweep sweep = sweeps.resolve(name);
  const std::string found = sweep.name;
  SweepView view = view_of(std::move(sweep), sweeps.legs(found), sweeps.runs(found));
  tell_waiting(catalogue, view);
  return view;
}

std::size_t trials_wanted(const SweepFile& file) {
  const std::size_t trials_in_file =
      file.trials ? static_cast<std::size_t>(*file.trials) : std::numeric_limits<std::size_t>::max();
  return file.method == Method::grid ? std::min(trials_in_file, grid_size(Space(file.parameters)))
                                     : trials_in_file;
}

std::vector<std::string> best_command(const SweepView& view) {
  if (!view.best) return {};
  const Texts& parameters = view.trials[*view.best].parameters;
  const SweepFile& file = view.file;
  const protocol::RunSpec& spec = view.sweep.spec;
  std::vector<std::string> command{"batchscope", "run"};
  if (!file.replicas.empty()) command.insert(command.end(), {"--replicas", file.replicas});
  if (!file.device.empty()) command.insert(command.end(), {"--device", file.device});
  if (file.devices_per_replica > 0)
    command.insert(command.end(), {"--devices-per-replica", std::to_string(file.devices_per_replica)});
  if (!file.recipe.empty()) {
    command.insert(command.end(), {"--recipe", from_anywhere(file.recipe, spec.recipe, spec)});
    for (const auto& [name, value] : parameters) command.insert(command.end(), {"--set", name + "=" + value});
    if (file.arguments.empty()) return command;
    command.emplace_back("--");
    command.insert(command.end(), file.arguments.begin(), file.arguments.end());
    return command;
  }
  // A script stands behind the interpreter that runs it.
  const bool script = spec.arguments.size() > file.arguments.size();
  command.insert(command.end(),
                 {from_anywhere(file.program, script ? spec.arguments.front() : spec.program, spec), "--"});
  command.insert(command.end(), file.arguments.begin(), file.arguments.end());
  for (const auto& [name, value] : parameters) command.insert(command.end(), {"--" + name, value});
  return command;
}

}  // namespace batchscope::sweep
