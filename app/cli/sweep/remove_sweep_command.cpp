// SPDX-License-Identifier: Apache-2.0
//
// sweep rm: removes a sweep. Its runs are kept as ordinary runs, or go into the trash.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "batchscope/sweep/sweeps.h"
#include "records/job_records.h"
#include "records/run_folders.h"
#include "records/store.h"
#include "sweep/sweep_commands.h"
#include "terminal/json_output.h"

namespace batchscope::cli {
namespace {

// Returns the runs of its trials that are still there.
std::vector<storage::Run> runsOf(storage::Catalogue& catalogue, const std::string& name) {
  std::vector<storage::Run> runs;
  for (const storage::TrialRun& trial : storage::Sweeps(catalogue).runs(name))
    if (auto run = catalogue.run(trial.run); run && run->removed <= 0) runs.push_back(std::move(*run));
  return runs;
}

void refuseWhileActive(const storage::Sweep& sweep, const std::vector<storage::Run>& runs) {
  const bool paused = sweep.state == storage::SweepState::paused && std::ranges::any_of(runs, isHeld);
  if (paused || sweep.state == storage::SweepState::running)
    throw Error(ErrorKind::conflict,
                fmt::format("{} is {}; stop it first: batchscope sweep stop {}", sweep.name,
                            storage::sweep_state_name(sweep.state), sweep.name));
  for (const storage::Run& run : runs)
    if ((isHeld(run) || !sweep.workplace.empty()) &&
        (!isAtRest(run.state) || run.state == protocol::RunState::pending))
      throw Error(ErrorKind::conflict,
                  fmt::format("{} of {} is still {}; wait until it has written its checkpoint", title(run),
                              sweep.name, protocol::run_state_name(run.state)));
}

}  // namespace

int removeSweep(const RemoveSweepOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  storage::Sweeps sweeps(catalogue);
  const storage::Sweep sweep = sweeps.resolve(options.sweep);
  const std::vector<storage::Run> runs = runsOf(catalogue, sweep.name);
  refuseWhileActive(sweep, runs);
  const std::string fate = fmt::format("{} {}", plural(runs.size(), "run"),
                                       options.runs       ? "in the trash"
                                       : runs.size() == 1 ? "stays as it is"
                                                          : "stay as they are");
  if (!options.yes &&
      !isConfirmed(fmt::format("Remove the sweep {}, {}?", sweep.name, fate), "removing " + sweep.name)) {
    fmt::print(stderr, "batchscope: nothing was removed\n");
    return kExitConflict;
  }
  if (options.runs)
    for (const storage::Run& run : runs) {
      if (isHeld(run) || waitsForPool(catalogue, run)) pool::cancel(catalogue, run.id);
      catalogue.move_to_trash(run.id);
    }
  sweeps.remove(sweep.name);
  return answer(options.json, {{"removed", sweep.name}, {"runs", options.runs ? runs.size() : 0}},
                fmt::format("removed the sweep {}, {}", printable(sweep.name), fate));
}

}  // namespace batchscope::cli
