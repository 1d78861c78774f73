// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/trial_text.h"

#include <fmt/format.h>

#include <set>
#include <tuple>

#include "batchscope/common/say.h"
#include "batchscope/common/translate.h"
#include "batchscope/protocol/error.h"
#include "batchscope/storage/run_field.h"

namespace batchscope::common {

using protocol::RunState;
using storage::Run;

namespace {

ListedSweep listed(storage::Sweeps& sweeps, const storage::Sweep& row) {
  ListedSweep sweep;
  sweep.state = row.state;
  for (const storage::SweepLeg& leg : sweeps.legs(row.name)) {
    TrialStanding& trial = sweep.trials[leg.trial];
    trial.rung = leg.rung;
    trial.rests = leg.outcome == storage::SweepLeg::Outcome::value;
    if (leg.outcome == storage::SweepLeg::Outcome::diverged) trial.value.reset();
    if (!trial.rests) continue;
    trial.reached = leg.rung;
    trial.value = leg.value;
  }
  try {
    const sweep::SweepFile file = sweep::SweepFile::parse(row.file, row.name);
    sweep.metric = file.metric;
    sweep.goal = file.goal;
  } catch (const Error&) {
    // The trials are listed without it; `sweep status` says what is wrong with the file.
  }
  return sweep;
}

// "3 running, 8 wait at rung 1, 1 diverged"
std::string countsText(const std::vector<Run>& trials, const ListedSweeps& sweeps) {
  std::map<std::tuple<int, int, std::string>, std::size_t> counts;
  for (const Run& run : trials) {
    const bool trains = is_active(run.state) && run.state != RunState::paused,
               rests = waitsAtRung(run, sweeps);
    const bool isOver = !is_active(run.state) && run.state != RunState::pending;
    const int order = rests ? 2 : trains ? 0 : isOver ? 3 : 1;
    ++counts[{order, rests ? -run.trial->rung : 0,
              rests    ? ""
              : trains ? "running"
                       : storage::shown_state(run)}];
  }
  std::vector<std::string> parts;
  for (const auto& [key, count] : counts) {
    const auto& [order, rung, state] = key;
    parts.push_back(state.empty() ? rungCount(count, -rung) : fmt::format("{} {}", count, state));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

ListedSweeps listedSweeps(storage::Catalogue& catalogue, const std::vector<Run>& runs) {
  std::set<std::string> names;
  for (const Run& run : runs)
    if (run.trial) names.insert(run.trial->sweep);
  ListedSweeps all;
  storage::Sweeps sweeps(catalogue);
  for (const std::string& name : names)
    if (const auto row = sweeps.find(name)) all[name] = listed(sweeps, *row);
  return all;
}

const TrialStanding* standingOf(const Run& run, const ListedSweeps& sweeps) {
  const auto sweep = run.trial ? sweeps.find(run.trial->sweep) : sweeps.end();
  if (sweep == sweeps.end()) return nullptr;
  const auto trial = sweep->second.trials.find(run.trial->trial);
  return trial == sweep->second.trials.end() ? nullptr : &trial->second;
}

bool waitsAtRung(const Run& run, const ListedSweeps& sweeps) {
  const TrialStanding* trial = standingOf(run, sweeps);
  return trial && trial->rests && (run.state == RunState::paused || run.state == RunState::pausing);
}

std::string rungText(const std::string& sweep, int rung) {
  return say("waits at rung {} of {}", rung, sweep);
}

std::string rungCount(std::size_t count, int rung) {
  if (count == 1) return tr("1 waits at rung %1").arg(rung).toStdString();
  return tr("%1 wait at rung %2").arg(count).arg(rung).toStdString();
}

std::string divergedText(const Run& run) {
  if (storage::shown_state(run) != storage::kDiverged) return {};
  return say("Trial {} of the sweep {} has diverged: its metric or its gradients are not finite.",
             run.trial->trial, run.trial->sweep);
}

std::string resumedTrialText(const Run& run, const ListedSweeps& sweeps) {
  if (!waitsAtRung(run, sweeps)) return {};
  return say(
      "it is trial {} of the sweep {}, and waited at rung {} for the sweep to decide whether it goes on; "
      "batchscope pause {} makes it wait again",
      run.trial->trial, run.trial->sweep, run.trial->rung, run.id);
}

std::string trialsText(const std::vector<Run>& trials, const ListedSweeps& sweeps) {
  std::set<std::size_t> numbers;
  for (const Run& run : trials) numbers.insert(run.trial->trial);
  // A trial has a run for each of its seeds.
  const bool areTrials = numbers.size() == trials.size();
  const QString counts = QString::fromStdString(countsText(trials, sweeps));
  if (trials.size() == 1) return (areTrials ? tr("1 trial: %1") : tr("1 run: %1")).arg(counts).toStdString();
  return (areTrials ? tr("%1 trials: %2") : tr("%1 runs: %2")).arg(trials.size()).arg(counts).toStdString();
}

}  // namespace batchscope::common
