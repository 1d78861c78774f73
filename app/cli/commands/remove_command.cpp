// SPDX-License-Identifier: Apache-2.0
//
// rm and restore: move a run into the trash and out of it. Only --purge, and later gc, delete the folder with
// its series, logs and checkpoints.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "commands/commands.h"
#include "records/job_records.h"
#include "records/run_folders.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

constexpr std::chrono::milliseconds kSupervisorsEnd{10'000}, kBetweenLooks{20};

// Returns whether the run's supervisor is still there some time after the run ended. It ends a moment after
// the run's state says so, on a busy machine a longer one.
bool hasSupervisor(storage::Catalogue& catalogue, const std::string& id) {
  const auto until = std::chrono::steady_clock::now() + kSupervisorsEnd;
  do {
    const auto run = catalogue.run(id);
    if (!run || !isHeld(*run)) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  } while (std::chrono::steady_clock::now() < until);
  return true;
}

void refuseWhileActive(storage::Catalogue& catalogue, const storage::Run& run) {
  if (run.removed <= 0) common::refusePending(catalogue, run);
  if (isHeld(run) && !protocol::is_active(run.state) && hasSupervisor(catalogue, run.id))
    throw Error(ErrorKind::conflict,
                say("{} is {}, but its supervisor, process {}, has not ended: try again later", title(run),
                    protocol::run_state_name(run.state), run.supervisor_pid));
  if (protocol::is_active(run.state))
    throw Error(ErrorKind::conflict, say("{} is {}; stop it first: batchscope stop {}", title(run),
                                         protocol::run_state_name(run.state), run.id));
}

// Also finds a run in the trash: a run that is to be purged may be there already.
storage::Run resolveAnywhere(storage::Catalogue& catalogue, const std::string& text) {
  try {
    return catalogue.resolve(text);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found || text == "latest") throw;
    return catalogue.resolve_removed(text);
  }
}

// Names the number of checkpoints. A run that cannot be read completely can be deleted all the same.
std::string purgeQuestion(storage::Catalogue& catalogue, const storage::Run& run, std::int64_t bytes) {
  const std::string name = title(run), size = formatBytes(bytes);
  try {
    const auto checkpoints = static_cast<std::int64_t>(catalogue.checkpoints(run.id).size());
    return say("Delete {}, {} with {}, for good?", name, size, plural(checkpoints, "checkpoint"));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    return say("Delete {}, {}, for good?", name, size);
  }
}

int purge(storage::Catalogue& catalogue, const storage::Run& run, const RemoveOptions& options) {
  const std::int64_t bytes =
      protocol::valid_run_id(run.id) ? folderBytes(protocol::run_paths(run.id).root) : 0;
  if (!options.yes && !isConfirmed(purgeQuestion(catalogue, run, bytes), say("deleting {}", title(run)))) {
    fmt::print(stderr, "batchscope: {}\n", say("nothing was deleted"));
    return kExitConflict;
  }
  storage::purge_run(catalogue, run.id);
  return answer(options.json, {{"purged", run.id}, {"bytes", bytes}},
                say("deleted {}, {}", title(run), formatBytes(bytes)));
}

}  // namespace

int removeRun(const RemoveOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run run =
      options.purge ? resolveAnywhere(catalogue, options.run) : catalogue.resolve(options.run);
  refuseWhileActive(catalogue, run);
  if (options.purge) return purge(catalogue, run, options);
  catalogue.move_to_trash(run.id);
  return answer(
      options.json, {{"removed", run.id}},
      say("{} is in the trash; batchscope restore {} brings it back, batchscope gc deletes it after {} days",
          title(run), run.id, storage::kTrashDays));
}

int restoreRun(const RunReference& options) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run run = catalogue.resolve_removed(options.run);
  catalogue.restore(run.id);
  return answer(options.json, {{"restored", run.id}}, say("restored {}", title(run)));
}

}  // namespace batchscope::cli
