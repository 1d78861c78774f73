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
#include "text/say.h"

namespace batchscope::cli {

int removeSweep(const RemoveSweepOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const std::string name = storage::Sweeps(catalogue).resolve(options.sweep).name;
  const std::size_t runs = sweep::removable_runs(catalogue, name).size();
  const std::string count = plural(runs, "run");
  const std::string fate = options.runs ? say("{} in the trash", count)
                           : runs == 1  ? say("{} stays as it is", count)
                                        : say("{} stay as they are", count);
  if (!options.yes && !isConfirmed(say("Remove the sweep {}, {}?", name, fate), say("removing {}", name))) {
    fmt::print(stderr, "batchscope: {}\n", say("nothing was removed"));
    return kExitConflict;
  }
  sweep::remove(catalogue, name, options.runs);
  return answer(options.json, {{"removed", name}, {"runs", options.runs ? runs : 0}},
                say("removed the sweep {}, {}", printable(name), fate));
}

}  // namespace batchscope::cli
