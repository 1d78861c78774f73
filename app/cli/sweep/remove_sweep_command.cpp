// SPDX-License-Identifier: Apache-2.0
//
// sweep rm: removes a sweep. Its runs are kept as ordinary runs, or go into the trash.
#include <fmt/core.h>

#include <cstdio>

#include "batchscope/sweep/sweeps.h"
#include "records/run_folders.h"
#include "records/store.h"
#include "sweep/sweep_commands.h"
#include "terminal/json_output.h"

namespace batchscope::cli {

int removeSweep(const RemoveSweepOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const std::string name = storage::Sweeps(catalogue).resolve(options.sweep).name;
  const std::size_t runs = sweep::removable_runs(catalogue, name).size();
  const std::string fate = fmt::format("{} {}", plural(runs, "run"),
                                       options.runs ? "in the trash"
                                       : runs == 1  ? "stays as it is"
                                                    : "stay as they are");
  if (!options.yes && !isConfirmed(fmt::format("Remove the sweep {}, {}?", name, fate), "removing " + name)) {
    fmt::print(stderr, "batchscope: nothing was removed\n");
    return kExitConflict;
  }
  sweep::remove(catalogue, name, options.runs);
  return answer(options.json, {{"removed", name}, {"runs", options.runs ? runs : 0}},
                fmt::format("removed the sweep {}, {}", printable(name), fate));
}

}  // namespace batchscope::cli
