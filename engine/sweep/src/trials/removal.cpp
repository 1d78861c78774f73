// SPDX-License-Identifier: Apache-2.0
//
// Removes a sweep that is over, alone or with its runs, and brings it back.
#include <fmt/core.h>

#include <algorithm>

#include "batchscope/pool/queue.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/run_state.h"
#include "batchscope/sweep/sweeps.h"
#include "trials/runs.h"

namespace batchscope::sweep {
namespace {

using protocol::RunState;
using storage::SweepState;

// A supervisor has the run, or should.
bool is_supervised(const storage::Run& run) {
  return protocol::is_active(run.state) || run.supervisor_pid != 0;
}

bool is_at_rest(RunState state) {
  return state == RunState::paused || (state != RunState::pending && !protocol::is_active(state));
}

}  // namespace

std::vector<storage::Run> removable_runs(storage::Catalogue& catalogue, const std::string& name) {
  storage::Sweeps sweeps(catalogue);
  const storage::Sweep sweep = sweeps.resolve(name);
  std::vector<storage::Run> runs;
  for (const storage::TrialRun& trial : sweeps.runs(sweep.name))
    if (auto run = catalogue.run(trial.run); run && run->removed <= 0) runs.push_back(*std::move(run));
  const bool is_paused = sweep.state == SweepState::paused && std::ranges::any_of(runs, is_supervised);
  if (is_paused || sweep.state == SweepState::running)
    throw Error(ErrorKind::conflict,
                fmt::format("{} is {}; stop it first: batchscope sweep stop {}", sweep.name,
                            storage::sweep_state_name(sweep.state), sweep.name));
  for (const storage::Run& run : runs)
    if ((is_supervised(run) || !sweep.workplace.empty()) && !is_at_rest(run.state))
      throw Error(ErrorKind::conflict,
                  fmt::format("{} of {} is still {}; wait until it has written its checkpoint", run.name,
                              sweep.name, protocol::run_state_name(run.state)));
  return runs;
}

RemovedSweep remove(storage::Catalogue& catalogue, const std::string& name, bool with_runs) {
  storage::Sweeps sweeps(catalogue);
  const std::vector<storage::Run> runs = removable_runs(catalogue, name);
  const storage::Sweep sweep = sweeps.resolve(name);
  RemovedSweep removed{sweep, sweeps.legs(sweep.name), sweeps.runs(sweep.name), {}};
  if (with_runs) {
    for_living_runs(catalogue, sweep.name, [&](const std::string& run) { pool::cancel(catalogue, run); });
    for (const storage::Run& run : runs) removed.in_trash.push_back(run.id);
    catalogue.move_to_trash(removed.in_trash);
  }
  sweeps.remove(sweep.name);
  return removed;
}

void restore(storage::Catalogue& catalogue, const RemovedSweep& removed) {
  storage::Sweeps(catalogue).restore(removed.sweep, removed.legs, removed.runs);
  for (const std::string& run : removed.in_trash)
    if (catalogue.run(run)) catalogue.restore(run);
}

}  // namespace batchscope::sweep
